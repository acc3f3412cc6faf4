"""Numba's compiler, with new arrays that compile quickly: see `allocate`, imported when something is compiled."""

from __future__ import annotations

from numba.core import compiler
from numba.core.compiler_machinery import PassManager


class Quick(compiler.CompilerBase):  # type: ignore[misc]  # Numba carries no annotations
    """Numba's compiler, with new arrays made as instructions."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's passes and ours."""
        from srcad.runtime.allocate import add_to

        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        add_to(manager, self.state)
        manager.finalize()
        return [manager]
