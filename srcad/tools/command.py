"""The command `srcad`: shows generated source, explains it, checks gradients, runs the demonstration.

Exit status: 0 when all is well, 1 when a gradient is wrong or cannot be made, 2 when the command line makes no sense, 3
when `check` cannot tell.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn, TextIO

import srcad
from srcad.errors import BadArgument, PerformanceWarning, SrcadError, UnreliableDifferences
from srcad.printing.highlight import highlight
from srcad.refusals.types_and_results import UNTYPED
from srcad.runtime.jit.numba_inference import CannotType
from srcad.tools.locate import evaluate, locate
from srcad.tools.type_signatures import example_arguments, parse_signature, signature_of, untyped_parameters

Wrt = int | str | tuple[int | str, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (by default those of the process); the exit status.

    >>> main(["show", "nowhere.py:f"])
    2
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["demo"]:
        from srcad.tools import demo

        return demo.main(arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            status: int = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except CannotType as problem:
        print(_said(UNTYPED.at(problem.place, reason=problem.reason)), file=sys.stderr)
        return 1
    except SrcadError as problem:
        print(_said(problem), file=sys.stderr)
        return 2 if isinstance(problem, BadArgument) else 1


def _said(problem: SrcadError) -> str:
    """The message: with its place and lines where it has a place, else in one line."""
    if problem.at is not None:
        return str(problem)
    return f"srcad: {problem.what}" + (f" ({problem.hint})" if problem.hint else "")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Warnings of srcad's in one line; those of other libraries concern its own workings and stay unsaid."""
    if issubclass(category, PerformanceWarning):
        print(f"srcad: {message}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with a command line, and where to read on."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="srcad", description="Differentiates NumPy and Numba functions by rewriting their source.")
    version = f"srcad {srcad.__version__}"
    parser.add_argument("--version", action="version", version=version, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    commands.add_parser("demo", help="see a generated gradient, and a model trained with it", add_help=False)

    show = commands.add_parser("show", help="print the source that is generated from a function")
    _add_target(show)
    show.add_argument("--mode", default="grad", help="grad (default), value_and_grad, reverse, forward, hvp or core")
    show.add_argument("--after", metavar="PASS", help="print the function as it is after this pass of the compiler")
    show.add_argument("--diff", metavar="PASS", help="print instead what this pass of the compiler changes")
    show.add_argument("--arrays", action="store_true", help="leave array statements as they are, as jit=False does")
    show.add_argument("--debug", action="store_true", help="print the text that is checked for NaN and infinity")
    show.add_argument("--timings", action="store_true", help="print instead where the time of the first call goes")
    _add_find(show)
    _add_choices(show)
    show.set_defaults(run=_show)

    listed = commands.add_parser("passes", help="list the passes of the compiler in the order in which they run")
    listed.set_defaults(run=_passes)

    explain = commands.add_parser("explain", help="tell line by line what is kept for the reverse sweep, and its bytes")
    _add_target(explain)
    explain.add_argument("--mode", default="grad", help="grad (default), value_and_grad or reverse")
    _add_find(explain)
    _add_choices(explain)
    explain.set_defaults(run=_explain)

    _add_export(commands.add_parser("export", help="write a gradient as a module that runs without srcad"))
    _add_report(commands.add_parser("report", help="write a page on a gradient: both sweeps, their cost, the check"))

    _add_doctor(commands.add_parser("doctor", help="print versions, processor, threads, cache folder, what is wrong"))
    completion = commands.add_parser("completion", help="print what a shell needs to complete this command's words")
    completion.add_argument("shell", nargs="?", choices=("bash", "zsh"), default="bash", help="by default bash")
    completion.set_defaults(run=_completion)
    _add_cache(commands.add_parser("cache", help="tell how much the cache folder holds, list it, or clear it"))
    _add_check(commands.add_parser("check", help="compare a gradient with finite differences and with forward mode"))
    return parser


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--warm", action="store_true", help="fill the cache folder with what many first calls need")
    parser.set_defaults(run=_doctor)


def _add_cache(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list its modules with their size, what was used last first")
    what.add_argument("--clear", action="store_true", help="delete all that srcad has stored there")
    parser.set_defaults(run=_cache)


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_target(parser)
    parser.add_argument("--args", metavar="EXPR", help='the arguments, in Python: "np.ones(3), 2.0"')
    parser.add_argument("--seed", type=int, default=0, help="of the arguments that are made up (default: 0)")
    parser.add_argument(
        "--debug", action="store_true", help="stop where a NaN or infinity first appears, and say where"
    )
    parser.add_argument("--no-jit", dest="jit", action="store_false", help="run the gradient uncompiled")
    _add_choices(parser)
    parser.set_defaults(run=_check)


def _add_export(parser: argparse.ArgumentParser) -> None:
    _add_target(parser)
    parser.add_argument("--args", metavar="EXPR", help='the arguments of its check, in Python: "np.ones(3), 2.0"')
    parser.add_argument("--mode", default="grad", help="grad (default), value_and_grad, reverse, forward or hvp")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the module to write")
    parser.add_argument("--numpy-only", action="store_true", help="plain Python, which does not need Numba")
    parser.add_argument("--scipy", action="store_true", help="with --numpy-only: the module may call SciPy")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 unless FILE is up to date")
    _add_choices(parser)
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from pathlib import Path

    from srcad.tools.standalone.exported_module import export, outdated

    function, file = locate(options.target), Path(options.output)
    given = None if options.args is None else evaluate(options.args, function)
    text = export(
        function,
        mode=options.mode,
        wrt=0 if options.wrt is None else options.wrt,
        signature=None if given is not None else _signature(function, options.signature),
        args=given,
        numpy_only=options.numpy_only,
        scipy=options.scipy,
        without=options.without,
        boundscheck=options.boundscheck,
    )
    if not options.check:
        file.write_text(text, encoding="utf-8")
        print(f"{file}: {len(text.splitlines())} lines; execute it to check the derivative")
        return 0
    reason = outdated(text, file)
    print(f"{file} is up to date" if reason is None else f"{file} is not up to date: {reason}")
    return 0 if reason is None else 1


def _add_report(parser: argparse.ArgumentParser) -> None:
    _add_target(parser)
    parser.add_argument("--args", metavar="EXPR", help='the arguments, in Python: "np.ones(3), 2.0"')
    parser.add_argument("--seed", type=int, default=0, help="of the arguments that are made up (default: 0)")
    parser.add_argument("-o", "--output", default="report.html", metavar="FILE", help="default: report.html")
    parser.add_argument("--no-jit", dest="jit", action="store_false", help="measure the source uncompiled")
    parser.add_argument("--no-passes", dest="passes", action="store_false", help="leave out what each pass changed")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    function = locate(options.target)
    wrt = 0 if options.wrt is None else options.wrt
    with _of_function(options.target):
        made = srcad.report(function, *_arguments(options, function), wrt=wrt, jit=options.jit, passes=options.passes)
        where = made.save(options.output)
    print(f"{where}: {made!r}")
    return {"right": 0, "wrong": 1}.get(made.verdict, 3)


def _doctor(options: argparse.Namespace) -> int:
    from srcad.tools import doctor

    if options.warm:
        doctor.warm(lambda line: print(line, flush=True))
        print()
    report = doctor.Report.made()
    print(report.text())
    return 1 if report.problems else 0


def _completion(options: argparse.Namespace) -> int:
    from srcad.tools.completion import script

    print(script(_parser(), options.shell), end="")
    return 0


def _cache(options: argparse.Namespace) -> int:
    from srcad.runtime.jit.disk_cache import folder
    from srcad.tools import cache_folder

    where = folder()
    if options.clear and where is not None:
        count, size = cache_folder.clear(where)
        print(f"{where}: {count} files deleted, {cache_folder.in_bytes(size)}")
        return 0
    print(cache_folder.report(options.list))
    return 0 if where is not None else 1


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="FILE.py:FUNC", help="the function, also package.module:Class.method")
    parser.add_argument("--wrt", type=_wrt, metavar="NAMES", help="parameters to differentiate by: x or 0 or x,y")
    parser.add_argument("--signature", metavar="TYPES", help='argument types as Numba writes them: "f8[:], f8"')


def _add_choices(parser: argparse.ArgumentParser) -> None:
    text = "leave these passes of the compiler out: loop_order,dead_code (an unknown one lists them)"
    parser.add_argument("--without", default="", metavar="PASSES", help=text)
    text = "leave out the checks that indices are in range"
    parser.add_argument("--no-boundscheck", dest="boundscheck", action="store_const", const=False, help=text)


def _add_find(parser: argparse.ArgumentParser) -> None:
    text = "print only the lines with this word, numbered, and two lines around each"
    parser.add_argument("--find", metavar="WORD", help=text)


def _wrt(text: str) -> Wrt:
    """Parameters as the command line gives them; several, or a comma, make a tuple."""
    parts = [part.strip() for part in text.split(",")]
    names = tuple(int(part) if part.lstrip("-").isdigit() else part for part in parts if part)
    return names if "," in text else names[0]


def _show(options: argparse.Namespace) -> int:
    function = locate(options.target)
    wrt, kinds = 0 if options.wrt is None else options.wrt, _signature(function, options.signature)
    if options.timings:
        from srcad.tools.source_text import case_of
        from srcad.tools.timings import timings

        print(timings(case_of(function, options.mode, wrt, kinds, None, options.without, options.boundscheck)))
        return 0
    if options.diff:
        from srcad.tools.source_text import changes

        how = {"mode": options.mode, "wrt": wrt, "signature": kinds, "arrays": options.arrays}
        text = changes(function, options.diff, without=options.without, boundscheck=options.boundscheck, **how)
        return _tell(f"{text}\n", options)
    text = srcad.source(
        function,
        mode=options.mode,
        wrt=wrt,
        signature=kinds,
        after=options.after,
        arrays=options.arrays,
        without=options.without,
        debug=options.debug,
        boundscheck=options.boundscheck,
    )
    return _tell(highlight(text) if wants_colour(sys.stdout) else text, options)


def _tell(text: str, options: argparse.Namespace) -> int:
    """Print a text, or the part of it that is looked for; 1 if nothing is found."""
    from srcad.tools.paging import tell

    if tell(text, options.find):
        return 0
    print(f"srcad: no line has {options.find!r}", file=sys.stderr)
    return 1


def _passes(options: argparse.Namespace) -> int:
    from srcad.driver.pass_selection import listing

    print(listing(), end="")
    return 0


def _explain(options: argparse.Namespace) -> int:
    function = locate(options.target)
    wrt, kinds = 0 if options.wrt is None else options.wrt, _signature(function, options.signature)
    how = {"without": options.without, "boundscheck": options.boundscheck}
    text = srcad.explain(function, mode=options.mode, wrt=wrt, signature=kinds, **how)
    return _tell(f"{text}\n", options)


def _check(options: argparse.Namespace) -> int:
    function = locate(options.target)
    arguments = _arguments(options, function)
    how = {"jit": options.jit, "without": options.without, "boundscheck": options.boundscheck}
    with (
        _of_function(options.target),
        srcad.debug() if options.debug else nullcontext(),
        _unsettled() as unsettled,
    ):
        srcad.check_grads(function, arguments, wrt=options.wrt, **how)
    if unsettled:
        print(f"{options.target}: {unsettled[0]}")
        return 3
    print(f"{options.target}: the gradient agrees with finite differences")
    return 0


def _arguments(options: argparse.Namespace, function: Callable[..., Any]) -> tuple[Any, ...]:
    """The arguments that the command line gives, else some of the types that it or the function tells."""
    if options.args is not None:
        return evaluate(options.args, function)
    return example_arguments(_signature(function, options.signature), options.seed)


@contextmanager
def _of_function(target: str) -> Iterator[None]:
    """What the user's function raises in this block, which may be anything, as a BadArgument."""
    try:
        yield
    except (SrcadError, CannotType):
        raise
    except Exception as problem:
        call = f"{target} raises {type(problem).__name__}: {problem}"
        raise BadArgument(call, hint="give arguments that it accepts with --args") from problem


@contextmanager
def _unsettled() -> Iterator[list[str]]:
    """What `check_grads` cannot tell in this block, instead of the warning; complete after the block."""
    found: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", UnreliableDifferences)
            yield found
    finally:
        for each in seen:
            if issubclass(each.category, UnreliableDifferences):
                found.append(str(each.message))
            else:
                warnings.showwarning(each.message, each.category, each.filename, each.lineno)


def _signature(function: Callable[..., Any], text: str | None) -> tuple[Any, ...]:
    """The types that the command line gives, else those that annotations and defaults tell."""
    if text is not None:
        return parse_signature(text)
    kinds = signature_of(function)
    if kinds is None:
        names = ", ".join(untyped_parameters(function))
        raise BadArgument(
            f"the type of {names} is not known", hint='say it with --signature "f8[:], f8", or annotate the parameters'
        )
    return kinds


def wants_colour(stream: TextIO) -> bool:
    """Whether the stream is a terminal whose user has not asked for plain text (https://no-color.org).

    >>> import io
    >>> wants_colour(io.StringIO())
    False
    """
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
