"""What is noted on nodes is one record of typed fields, and nothing else is kept there."""

import ast
import copy
import inspect
import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import gast
import pytest

from srcad.driver import pipeline
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.ir.build import at, clone, effect, has_place, header_of, place_of
from srcad.transforms.ir.node_notes import Notes, note, notes_of
from tests.golden import programs

PROGRAMS = {"drag": "f8[::1], f8", "softplus_sum": "f8[::1], f8[::1]", "heat": "f8[::1], i8", "newton": "f8"}
SOURCES = sorted((Path(__file__).parents[3] / "srcad").rglob("*.py"))
NAMES = {field.name for field in fields(Notes)}


def loop():
    return gast.parse("for i in range(n):\n    s = s + x[i]").body[0]


def test_a_node_without_notes_has_the_defaults():
    assert notes_of(loop()) == Notes()
    assert notes_of(loop()) is notes_of(gast.Pass())
    assert {name for name in NAMES if getattr(Notes(), name)} == {"sweep"}  # the primal, where nothing else is said


def test_notes_are_added_to_those_that_are_there():
    node = note(loop(), parallel=True)
    assert note(node, comment="line 3") is node
    assert notes_of(node) == Notes(parallel=True, comment="line 3")


def test_a_note_is_taken_back_by_its_default():
    assert notes_of(note(note(gast.Pass(), unset=True), unset=False)) == Notes()


def test_a_note_of_another_name_is_refused():
    node = gast.Pass()
    with pytest.raises(TypeError, match="efect"):
        note(node, efect=True)
    assert notes_of(node) == Notes()


def test_a_record_stays_as_it_is():
    with pytest.raises(FrozenInstanceError):
        notes_of(note(gast.Pass(), effect=True)).effect = False


@pytest.mark.parametrize("copied", [clone, header_of, copy.deepcopy])
def test_copies_have_the_notes_until_they_get_others(copied):
    node = note(loop(), parallel=True)
    other = copied(node)
    assert notes_of(other) == Notes(parallel=True)
    note(other, lane="free")
    note(node, parallel=False)
    assert (notes_of(node), notes_of(other)) == (Notes(), Notes(parallel=True, lane="free"))


def test_notes_of_nodes_inside_are_copied_too():
    node = loop()
    effect(node.body[0])
    assert notes_of(clone(node).body[0]).effect


def test_nodes_that_are_noted_stay_those_of_the_tree():
    node = loop()
    note(node, natural=(node.target,))
    node.target.id = "j"
    assert notes_of(node).natural[0].id == "j"


def test_a_place_is_a_note_that_may_say_that_there_is_none():
    node = note(gast.Pass(), effect=True)
    assert (place_of(node), has_place(node)) == (None, False)
    assert (place_of(at(node, None)), has_place(node), notes_of(node).effect) == (None, True, True)


def wrong_uses(path, text):
    """Where notes are read or changed by other means than the two functions, or ones are named that do not exist."""
    for node in ast.walk(ast.parse(text)):
        where = f"{path}:{getattr(node, 'lineno', 0)}"
        match node:
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr" | "setattr" | "delattr"),
                args=[_, ast.Constant(value=str() as name), *_],
            ) if name in NAMES:
                yield f"{where}: ask `notes_of(...).{name}`"
            case ast.Call(func=ast.Name(id="note"), keywords=[_, *_] as given):
                yield from (f"{where}: there is no note {each.arg}" for each in given if each.arg not in NAMES)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="notes_of")), attr=name) if name not in NAMES:
                yield f"{where}: there is no note {name}"
            case ast.Attribute(value=ast.Name(id="self")):
                pass
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()) if name in NAMES:
                yield f"{where}: write `note(..., {name}=...)`"
            case ast.Attribute(attr="_srcad_notes") | ast.Constant(value="_srcad_notes") if path.stem != "node_notes":
                yield f"{where}: ask `notes_of`"


def test_notes_are_read_and_changed_by_the_two_functions_only_and_those_that_are_named_exist():
    assert [problem for path in SOURCES for problem in wrong_uses(path, path.read_text())] == []


@pytest.mark.parametrize(
    "text",
    [
        "getattr(node, 'effect')",
        "node.effect = True",
        "del node.effect",
        "node._srcad_notes",
        "notes_of(node).efect",
        "note(node, effect=True, efect=True)",
    ],
)
def test_a_wrong_use_is_found(text):
    assert len([*wrong_uses(Path("some.py"), text)]) == 1
    assert [*wrong_uses(Path("some.py"), "note(node, effect=notes_of(node).effect)\nself.effect = 1")] == []


@pytest.mark.parametrize("after", ["differentiate", None])
@pytest.mark.parametrize("name", PROGRAMS)
def test_trees_hold_nothing_but_syntax_and_notes(name, after):
    unit = pipeline.prepare(getattr(programs, name))
    made = pipeline.derive(unit, "grad", (0,), parse_signature(PROGRAMS[name]), after=after)
    trees = [unit.tree, *(getattr(made, "made", None) or made).functions]
    for node in (node for tree in trees for node in gast.walk(tree)):
        assert vars(node).keys() <= {*node._fields, *node._attributes, "_srcad_notes"}


def test_the_modules_that_set_and_read_a_note_are_named_as_they_are():
    known = {path.stem for path in SOURCES} | {"printing"}
    (record,) = (each for each in ast.parse(inspect.getsource(Notes)).body if isinstance(each, ast.ClassDef))
    texts = [each.value.value for each in record.body[1:] if isinstance(each, ast.Expr)]
    assert len(texts) == len(NAMES)
    for text in texts:
        named = re.findall(r"`(\w+)[\w.]*`", text[text.index("Set ") :])
        assert named, text
        assert set(named) <= known, text
