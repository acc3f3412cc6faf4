"""Notebooks, on a real kernel: what is shown there, and that a function defined anew has a gradient anew."""

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CELLS = [
    "import numpy as np, srcad",
    "def f(x):\n    return x * x",
    "slope = srcad.grad(f, jit=False)\nslope(3.0)",
    "def f(x):\n    return x * x * x",
    "srcad.grad(f, jit=False)(3.0)",
    "def helper(x):\n    return 2.0 * x\ndef g(x):\n    return helper(x) * x",
    "gradient = srcad.grad(g, jit=False)\ngradient(3.0)",
    "def helper(x):\n    return 5.0 * x",
    "gradient(3.0), srcad.grad(g, jit=False)(3.0)",
    "gradient",
    "srcad.source(g, signature='f8')",
    "srcad.report(g, 3.0, jit=False, passes=False)",
    "srcad.explain(g, signature='f8')",
    "import numpy as np\ndef h(x):\n    return np.sin(x)\nsrcad.grad(h, jit=False)(0.0)",
]


@pytest.fixture(scope="module")
def outputs():
    cells = [nbformat.v4.new_code_cell(each) for each in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [each.outputs[0]["data"] if each.outputs else {} for each in notebook.cells]


def test_a_cell_that_defines_a_function_anew_is_not_given_the_old_gradient(outputs):
    assert [outputs[k]["text/plain"] for k in (2, 4, 6)] == ["6.0", "27.0", "12.0"]


def test_a_helper_that_is_defined_anew_counts(outputs):
    assert outputs[8]["text/plain"] == "(30.0, 30.0)"


def test_a_cell_may_import_a_library_and_define_a_function_that_calls_it(outputs):
    assert "1.0" in outputs[13]["text/plain"]


def test_gradients_sources_and_reports_show_themselves(outputs):
    assert "g_grad" in outputs[9]["text/html"]
    assert '<span class="keyword">def</span>' in outputs[10]["text/html"]
    assert outputs[11]["text/html"].startswith("<iframe")
    assert outputs[12]["text/html"].startswith("<pre>the gradient of g")
