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


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_notes_are_read_and_changed_by_the_two_functions_only(path):
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr" | "setattr" | "delattr"),
                args=[_, ast.Constant(value=str() as name), *_],
            ):
                assert name not in NAMES, f"{path}:{node.lineno}: ask `notes_of(...).{name}`"
            case ast.Attribute(value=ast.Name(id="self")):
                pass
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                assert name not in NAMES, f"{path}:{node.lineno}: write `note(..., {name}=...)`"
            case ast.Attribute(attr="_srcad_notes") | ast.Constant(value="_srcad_notes"):
                assert path.stem == "node_notes", f"{path}:{node.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_each_note_that_is_set_or_asked_for_exists(path):
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="notes_of")), attr=name):
                assert name in NAMES
            case ast.Call(func=ast.Name(id="note"), keywords=[_, *_] as given):
                assert {each.arg for each in given} <= NAMES


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
