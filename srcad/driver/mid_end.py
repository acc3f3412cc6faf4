"""Passes before differentiation that need other passes: inference, and those on functions that are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcad.driver.derivative_passes import DerivativePasses
from srcad.driver.pass_manager import passed, reached_types
from srcad.driver.passes import OPTIMISE
from srcad.errors import MayOverlap, SrcadError
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.checkpointing.loop_outlining import outlined
from srcad.transforms.inference.execution_tracing import Conflict
from srcad.transforms.ir.code import Code
from srcad.transforms.normalise.alias_versioning import choose
from srcad.transforms.normalise.callee_specialisation import Library, calls_functions
from srcad.transforms.normalise.mask_places import with_mask_places
from srcad.transforms.normalise.type_decided_branches import decided_before_typing, with_plain_copies, without_decided
from srcad.transforms.normalise.type_splitting import note_join


def infer_types(code: Code) -> Code:
    """Types from Numba's inference, else from what was observed; the function then without what was not.

    If a name would have two types, the exception says at which join (`type_splitting.noted_join`).
    """
    observed = code.settings.observed
    try:
        found = reached_types(code.unit, code.signature) if observed is None else observed.types_of(code.unit)
    except CannotType as problem:
        masked = with_mask_places(code.unit, code.signature) if observed is None else None
        if masked is not None:
            return infer_types(code.with_unit(masked))
        decided = decided_before_typing(code.unit, code.signature)
        if decided is None:
            note_join(problem, code.unit, problem.name)
            raise
        found = decided
    except Conflict as problem:
        error = problem.as_error(code.unit)
        note_join(error, code.unit, problem.name)
        raise error from None
    return code.with_unit(*found)


def specialise_callees(code: Code) -> Code:
    """Calls of functions that are not inlined become calls of their versions, which go through the passes as well."""
    if not calls_functions(code.unit):
        return code
    settings = code.settings
    return Library(finisher(code), settings.numbers, DerivativePasses(code), settings.observed).specialise(code)


def drop_decided_branches(code: Code) -> Code:
    """The function without branches and orders of copies that types decide; types of a run do not decide any."""
    if code.settings.observed is not None:
        return code
    return code.with_unit(with_plain_copies(without_decided(code.unit, code.types), code.types))


def outline_checkpointed_loops(code: Code) -> Code:
    """Checkpointed loops as calls; where the arrays of one cannot be told apart, all choices are made numbers."""
    finish, settings = finisher(code), code.settings
    try:
        return outlined(code, finish)
    except MayOverlap as refused:
        if settings.is_again or settings.insist:
            raise
        insisting = choose(replace(code, settings=replace(settings, insist=True)))
        try:
            return replace(outlined(insisting, finish), settings=settings)
        except SrcadError:
            raise refused from None


def finisher(caller: Code) -> Callable[[Code], Code]:
    """What takes a function that is called as far as its caller gets before differentiation."""

    def finish(code: Code) -> Code:
        settings = replace(caller.settings, in_place=code.settings.in_place)
        unit = replace(code.unit, without=caller.unit.without)
        return passed(replace(code, unit=unit, settings=settings), OPTIMISE)

    return finish
