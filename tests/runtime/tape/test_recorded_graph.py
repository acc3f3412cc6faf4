"""Graphs of tapes: what was recorded, in order, with what cuts the gradient, as SVG and for Graphviz."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import srcad
from srcad.runtime.tape import recorded_graph


def recorded():
    w, x = srcad.Variable([1.0, 2.0], name="w"), srcad.constant([3.0, 4.0])
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sin(w) * x + 2.0
        np.sum(np.floor(y) * y)
    return tape


def test_vertices_are_what_was_computed():
    found = [(each.kind, each.label, each.reads) for each in recorded().show().vertices]
    assert found == [
        ("source", "w:0 (2,)", ()),
        ("operation", "np.sin (2,)", (0,)),
        ("source", "watched (2,)", ()),
        ("operation", "operator.mul (2,)", (1, 2)),
        ("operation", "operator.add (2,)", (3,)),
        ("cut", "np.floor (2,)", (4,)),
        ("operation", "operator.mul (2,)", (5, 4)),
        ("operation", "np.sum ()", (6,)),
    ]


def test_picture_has_a_box_for_each_vertex_and_none_overlap():
    graph = recorded().show()
    tree = ElementTree.fromstring(graph.svg())
    boxes = [each.attrib for each in tree.iter() if each.tag.endswith("rect")]
    lines = [each for each in tree.iter() if each.tag.endswith("path")]
    assert len(boxes) == len(graph.vertices)
    assert len(lines) == sum(len(each.reads) for each in graph.vertices)
    for a in boxes:
        for b in boxes:
            apart = a["y"] != b["y"] or abs(float(a["x"]) - float(b["x"])) >= min(float(a["width"]), float(b["width"]))
            assert a is b or apart
        assert float(a["x"]) + float(a["width"]) <= float(tree.attrib["width"])
    assert "http" not in graph.svg().replace("http://www.w3.org/2000/svg", "")
    assert graph._repr_svg_() == graph.svg()


def test_text_for_graphviz_has_all_edges(tmp_path):
    graph = recorded().show()
    text = graph.save(tmp_path / "graph.dot").read_text()
    assert text.startswith("digraph tape {")
    assert text.count(" -> ") == sum(len(each.reads) for each in graph.vertices)
    assert graph.save(tmp_path / "graph.svg").read_text() == graph.svg()
    with pytest.raises(srcad.BadValue, match=r"end the name in \.svg"):
        graph.save(tmp_path / "graph.png")


def test_names_do_not_become_markup():
    v = srcad.Variable(1.0, name='<script>"')
    with srcad.GradientTape() as tape:
        _ = v * v
    graph = tape.show()
    assert "<script>" not in graph.svg()
    assert '<script>\\"' in graph.dot()


def test_long_recordings_show_their_end(monkeypatch):
    monkeypatch.setattr(recorded_graph, "MOST", 3)
    x = srcad.Variable(1.0)
    with srcad.GradientTape() as tape:
        y = x
        for _ in range(10):
            y = y * x
    graph = tape.show()
    assert graph.left_out == 7
    assert [each.kind for each in graph.vertices].count("operation") == 3
    assert repr(graph).startswith("7 operations before")


def test_a_used_tape_has_no_graph_and_an_empty_one_says_so():
    x = srcad.Variable(1.0)
    with srcad.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(srcad.TapeMisuse):
        tape.show()
    with srcad.GradientTape() as tape:
        pass
    assert repr(tape.show()) == "nothing is recorded"
