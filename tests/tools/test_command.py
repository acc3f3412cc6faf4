"""The command: what it prints, where, and its exit status."""

import sys

import pytest

import srcad
from srcad.tools.command import main
from tests.waiting import finished, started

MODEL = """\
import numpy as np
import srcad


def loss(x, k):
    s = 0.0
    for i in range(x.shape[0]):
        s += k * np.sin(x[i])
    return s


def area(width: float, height=2.0):
    return width * height


def element(x, i):
    return x[i] * x[i]


def reading(x):
    async def read():
        return x

    return x


@srcad.function
def marked(x: float):
    return x * x


def halved(x: float):
    return srcad.stop_gradient(x) * x


def bent(x: float):
    return np.maximum(x, 0.0)


def root(x: float):
    return np.sqrt(x * x)
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "a_model.py"
    path.write_text(MODEL)
    yield path
    sys.modules.pop("a_model", None)


@pytest.fixture
def run(model, capsys):
    def run(command, target, *options):
        status = main([command, f"{model}:{target}", *options])
        return status, *capsys.readouterr()

    return run


def gradient_of(text, name):
    namespace = {}
    exec(compile(text, "<shown>", "exec"), namespace)
    return namespace[name]


def test_show_prints_a_program_that_runs(run):
    status, out, err = run("show", "area")
    assert (status, err) == (0, "")
    assert gradient_of(out, "area_grad")(3.0, 5.0) == 5.0


def test_what_to_differentiate_by_is_given_by_name_or_position(run):
    assert gradient_of(run("show", "area", "--wrt", "height")[1], "area_grad")(3.0, 5.0) == 3.0
    assert gradient_of(run("show", "area", "--wrt", "1")[1], "area_grad")(3.0, 5.0) == 3.0
    assert gradient_of(run("show", "area", "--wrt", "width,height")[1], "area_grad")(3.0, 5.0) == (5.0, 3.0)


def test_modes_print_different_functions(run):
    assert "def area_forward(" in run("show", "area", "--mode", "reverse")[1]
    assert "def area(" in run("show", "area", "--mode", "core")[1]


def test_passes_are_left_out_and_unknown_ones_refused(run):
    _, plain, _ = run("show", "loss", "--signature", "f8[:], f8")
    status, text, _ = run(
        "show", "loss", "--signature", "f8[:], f8", "--without", "forward_substitution,first_assignment"
    )
    assert (status, text == plain) == (0, False)
    status, _, said = run("check", "area", "--no-jit", "--without", "fusion")
    assert status == 2
    assert said.startswith("srcad: there is no pass 'fusion' (passes are ")
    assert " elementwise_fusion, " in said


def test_explain_tells_what_is_kept(run):
    status, text, _ = run("explain", "loss", "--signature", "f8[:], f8")
    assert (status, text.splitlines()[0]) == (0, "the gradient of loss with respect to x")
    status, _, said = run("explain", "loss", "--signature", "f8[:], f8", "--mode", "hvp")
    assert (status, "there is nothing to explain of mode 'hvp'" in said) == (2, True)


def test_a_decorated_function_is_shown(run):
    assert gradient_of(run("show", "marked")[1], "marked_grad")(3.0) == 6.0


def test_a_pipe_gets_plain_text_and_a_terminal_colours(run, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in run("show", "area")[1]
    monkeypatch.setattr("srcad.tools.command.wants_colour", lambda stream: True)
    assert "\x1b[35mdef\x1b[0m" in run("show", "area")[1]


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_whose_user_wants_plain_text_gets_it(monkeypatch, variable, value):
    from srcad.tools.command import wants_colour

    class Terminal:
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    monkeypatch.setenv(variable, value)
    assert not wants_colour(Terminal())


@pytest.mark.slow
def test_check_says_that_a_gradient_is_right(run):
    status, out, err = run("check", "loss", "--signature", "f8[:], f8")
    assert (status, err) == (0, "")
    assert out.endswith("a_model.py:loss: the gradient agrees with finite differences\n")


def test_check_takes_arguments_and_names_from_the_file(run):
    assert run("check", "element", "--args", "np.ones(3), 1")[0] == 0
    assert run("check", "area", "--no-jit")[0] == 0


def test_check_says_where_a_gradient_is_wrong(run):
    status, _, err = run("check", "halved", "--no-jit")
    assert status == 1
    assert "the gradient of halved differs from finite differences in 1 of 1 elements" in err
    assert "x: gradient" in err


def test_check_says_where_it_cannot_tell(run):
    status, out, _ = run("check", "bent", "--no-jit", "--args", "0.0")
    assert status == 3
    assert "bent: differences are not reliable here" in out
    assert "there is a kink: the slope is 0 to one side and 1 to the other" in out


def test_check_in_debug_mode_says_where_a_nan_is_born(run):
    status, _, err = run("check", "root", "--no-jit", "--args", "np.float64(0.0)", "--debug")
    assert status == 1
    assert "first appears in the reverse sweep of this line, where the primal is finite" in err
    assert "return np.sqrt(x * x)" in err


def test_show_prints_checks(run):
    assert "check_finite" in run("show", "root", "--debug")[1]
    assert "check_finite" not in run("show", "root")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["loss"], "the type of x, k is not known"),
        (["loss", "--signature", "f9"], "'f9' in the signature 'f9' is not a type"),
        (["lost"], "has no 'lost'; did you mean 'loss'"),
        (["area", "--wrt", "depth"], "area has no parameter 'depth'"),
        (["area", "--mode", "backwards"], "the mode 'backwards' is unknown"),
    ],
)
def test_bad_input_gets_one_clear_line(run, arguments, message):
    status, out, err = run("show", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("srcad: ")
    assert err.count("\n") == 1


def test_arguments_that_the_function_does_not_accept_get_one_clear_line(run):
    status, _, err = run("check", "element", "--args", "np.ones(3), 7")
    assert status == 2
    assert "element raises IndexError" in err
    assert err.count("\n") == 1


def test_a_refused_construct_is_shown_in_its_place(run):
    status, out, err = run("show", "reading", "--signature", "f8")
    assert (status, out) == (1, "")
    assert "UnsupportedSyntax: a coroutine cannot be differentiated" in err
    assert "hint: " in err
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [[], ["nope"], ["show"], ["check", "--seed", "x", "f.py:f"]])
def test_a_command_line_without_sense_gets_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"srcad {srcad.__version__}\n"


def test_demo_hands_its_options_on(monkeypatch):
    given = []
    monkeypatch.setattr("srcad.tools.demo.main", lambda argv: given.append(argv) or 5)
    assert main(["demo", "--epochs", "1"]) == 5
    assert given == [["--epochs", "1"]]


@pytest.mark.compiled
def test_a_reader_that_stops_early_is_no_error(model):
    command = [sys.executable, "-m", "srcad", "show", f"{model}:area"]
    process = started(command)
    process.stdout.close()
    process.stdout = None
    assert finished(process)[1] == ""
    assert process.returncode == 0
