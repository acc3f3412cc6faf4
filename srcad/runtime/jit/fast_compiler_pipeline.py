"""A Numba compiler pipeline for generated functions: fast array allocation, and no passes that have nothing to do.

The compiled code does the same. Generated functions are long, and each pass walks a whole function.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, MappingProxyType
from typing import Any

from numba.core import compiler, errors, event, ir, ir_utils, postproc, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering, NopythonRewrites, NopythonTypeInference
from numba.core.untyped_passes import InlineClosureLikes, ReconstructSSA

from srcad.runtime.jit import kernel_cache
from srcad.runtime.jit.code_libraries import CallingLibrary, depth_of_loops
from srcad.runtime.jit.ssa_reconstruction import reconstruct_ssa


class Quick(compiler.CompilerBase):  # type: ignore[misc]  # Numba carries no annotations
    """Numba's compiler with array intrinsics (`array_allocation`), cached operator typing, and idle passes left out."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's passes, some replaced by those below."""
        from srcad.runtime.jit.array_allocation import add_to

        manager = Passes("nopython")
        manager.passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        add_to(manager, self.state)
        manager.passes = replaced(manager.passes, self.others)
        manager.finalize()
        return [manager]

    others: Mapping[type, type] = MappingProxyType({})  # more passes in place of Numba's


class OfKernels(Quick):
    """The same for kernels and functions of Numba's library, which nothing calls from Python or C."""


class Passes(PassManager):  # type: ignore[misc]
    """Numba's passes in order, without what Numba does around each of them for its own debugging.

    Numba describes all flags for listeners of events, takes the time, and looks for misplaced statements, which takes
    longer than most of its passes.
    """

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:
        if any((*self._print_after, *self._print_before, *self._print_wrap)):
            super()._runPass(index, pss, internal_state)
            return
        pss.analysis, of = self._analysis, internal_state.func_id
        about = {"name": f"{pss.name()} [{of.func_qualname}]", "qualname": of.func_qualname, "module": of.modname}
        with (
            global_compiler_lock,
            errors.new_error_context("Pass {name}", name=pss.name()),
            event.trigger_event("numba:run_pass", data=about),
        ):
            pss.run_initialization(internal_state)
            pss.run_pass(internal_state)
            pss.run_finalizer(internal_state)


def replaced(
    passes: list[tuple[type, str]], others: Mapping[type, type] = MappingProxyType({})
) -> list[tuple[type, str]]:
    """Numba's passes, with those of this module in place of theirs."""
    ours = {**_OURS, **others}
    return [(ours.get(each, each), described) for each, described in passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _Ssa(ReconstructSSA):  # type: ignore[misc]
    """Numba's construction of static single assignment, in near linear time (`ssa_reconstruction`)."""

    _name = "reconstruct_ssa"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = ir_utils.build_definitions(state.func_ir.blocks)
        postproc.PostProcessor(state.func_ir).run(emit_dels=False)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Closures(InlineClosureLikes):  # type: ignore[misc]
    """Numba's inlining of closures, skipped for functions that have none."""

    _name = "inline_closure_likes"
    # Calls of these are inlined as well, `array` if its argument is a list comprehension.
    _calls = frozenset({"array", "reduce", "stencil"})

    def run_pass(self, state: Any) -> bool:
        code = state.func_id.code
        has_closures = any(isinstance(each, CodeType) for each in code.co_consts)
        if not has_closures and self._calls.isdisjoint((*code.co_names, *code.co_freevars)):
            return False
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _ArrayExpressions(NopythonRewrites):  # type: ignore[misc]
    """Numba's fusion of array expressions, skipped for functions that have none."""

    _name = "nopython_rewrites"

    def run_pass(self, state: Any) -> bool:
        if not any(_is_of_array(state, each) for block in state.func_ir.blocks.values() for each in block.body):
            return False
        return bool(super().run_pass(state))


def _is_of_array(state: Any, statement: Any) -> bool:
    """Whether a statement assigns an array that is the result of an operator or a ufunc."""
    expression = statement.value if isinstance(statement, ir.Assign) else None
    if not isinstance(expression, ir.Expr) or not isinstance(state.typemap.get(statement.target.name), types.Array):
        return False
    if expression.op != "call":
        return expression.op in ("unary", "binop")
    function = state.typemap[expression.func.name]
    return isinstance(function, types.Function) and hasattr(function.typing_key, "nin")


@register_pass(mutates_CFG=True, analysis_only=False)
class _TypeInference(NopythonTypeInference):  # type: ignore[misc]
    """Numba's type inference, with the types of calls cached by argument types.

    Numba resolves each call separately, and resolves all calls again in each iteration over the function.
    """

    _name = "nopython_type_inference"

    def run_pass(self, state: Any) -> bool:
        context = state.typingctx
        state.typingctx = _Remembering(context)
        try:
            return bool(super().run_pass(state))
        finally:
            state.typingctx = context


class _Remembering:
    """A typing context that caches resolved calls."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._known: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if type(function) is not types.Function or kws:
            return self._context.resolve_function_type(function, args, kws)
        key = function, tuple(args)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._context.resolve_function_type(function, args, kws)
        return found


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):  # type: ignore[misc]
    """Numba's lowering, with fewer instructions (`compact_llvm`), of a function that calls kernels (`kernel_cache`)."""

    _name = "native_lowering"

    @property
    def lowering_class(self) -> type:
        """The class that lowers a function."""
        from srcad.runtime.jit.compact_llvm import BriefLower

        return BriefLower

    def run_pass(self, state: Any) -> bool:
        codegen = state.targetctx.codegen()
        state.library = CallingLibrary(codegen, state.func_id.func_qualname)
        state.library.depth = depth_of_loops(state.func_ir.blocks)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringOfKernels(_Lowering):
    """The same for a kernel: there are no wrappers for calls from Python and C, and no machine code yet."""

    _name = "native_lowering"

    def run_pass(self, state: Any) -> bool:
        flags = state.flags
        before = flags.no_compile, flags.no_cfunc_wrapper
        flags.no_compile = flags.no_cfunc_wrapper = True
        try:
            super().run_pass(state)
        finally:
            flags.no_compile, flags.no_cfunc_wrapper = before
        library, lowered = state.library, state.cr
        library._ensure_finalized()
        entry = kernel_cache.entry_of(library, lowered.fndesc, lowered.env)
        state.targetctx.insert_user_function(entry, lowered.fndesc, [library])
        state.reload_init.extend(getattr(library, "_reload_init", ()))  # which Numba has from 0.62 on
        state.cr = lowered._replace(cfunc=entry)
        return True


OfKernels.others = MappingProxyType({NativeLowering: _LoweringOfKernels})
_OURS: dict[type, type] = {
    InlineClosureLikes: _Closures,
    NativeLowering: _Lowering,
    NopythonRewrites: _ArrayExpressions,
    NopythonTypeInference: _TypeInference,
    ReconstructSSA: _Ssa,
}
