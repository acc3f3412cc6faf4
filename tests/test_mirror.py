"""`tests/` mirrors `srcad/`: a module `srcad/a/b.py` is tested by `tests/a/test_b.py`, and what is not is listed here.

A long file of tests may be split: `test_b_part.py` tests a part of the module `b`.
"""

from pathlib import Path

TESTS = Path(__file__).parent
SOURCES = TESTS.parent / "srcad"

# Files of tests that are about no single module: what they are about.
ABOUT_MORE = {
    "test_first_calls.py": "what first calls cost, in instructions that LLVM gets",
    "driver/test_verified_passes.py": "the form between any two passes",
    "conformance/test_conformance.py": "the tape and TensorFlow's, on the programs beside it",
    "driver/test_argument_kinds.py": "kinds of arguments, through the whole compiler",
    "faults/test_cache_faults.py": "damage to the cache folder, and changes of what is cached",
    "faults/test_interrupts.py": "KeyboardInterrupt at random moments",
    "faults/test_memory_faults.py": "little memory",
    "faults/test_compile_time.py": "how the time of the transform grows",
    "faults/test_threads_and_processes.py": "gradients in threads, tasks and processes, and memory over many calls",
    "faults/test_injection.py": "text of the user's program that tries to become code",
    "runtime/rules/test_call_forms.py": "calls with arguments that few programs pass",
    "runtime/rules/test_repeated_eigenvalues.py": "eigenvalues and singular values that are equal",
    "golden/test_golden.py": "printed derivatives of a few whole programs",
    "golden/test_pass_texts.py": "texts before and after each pass",
    "refusals/test_bad_inputs.py": "inputs that are wrong, through all of the API",
    "runtime/kernels/test_kernels.py": "all kernels, by a table of samples",
    "runtime/rules/test_rules.py": "all rules, by a table of samples",
    "runtime/rules/test_scipy_special_references.py": "derivatives of special functions, against mpmath",
    "runtime/rules/test_scipy_programs.py": "models with functions of SciPy",
    "runtime/rules/test_scipy_linalg_programs.py": "functions of scipy.linalg, in programs",
    "runtime/rules/test_scipy_array_programs.py": "functions of SciPy of arrays, in programs",
    "runtime/rules/test_scipy_stats_programs.py": "distributions of scipy.stats, in programs",
    "runtime/rules/test_scipy_initial_values.py": "initial value problems of scipy.integrate, in programs",
    "runtime/rules/test_scipy_collocation.py": "odeint and implicit methods of scipy.integrate, in programs",
    "runtime/rules/test_scipy_quadrature.py": "scipy.integrate.quad, in programs",
    "runtime/rules/test_scipy_quadrature_multiple.py": "scipy.integrate.dblquad, tplquad and nquad",
    "runtime/rules/test_scipy_sparse.py": "sparse matrices of scipy.sparse, in programs",
    "runtime/rules/test_scipy_bounds_and_fits.py": "constrained minima and fits of scipy.optimize, in programs",
    "runtime/rules/test_scipy_complex.py": "special functions of complex numbers, in programs",
    "runtime/rules/test_scipy_interpolate.py": "interpolants of scipy.interpolate, in programs",
    "runtime/rules/test_scipy_iterations.py": "iterations of scipy.sparse.linalg, in programs",
    "runtime/rules/test_scipy_optimize.py": "solvers of scipy.optimize, in programs",
    "runtime/rules/test_scipy_compiled.py": "the rules of SciPy's functions, in generated code",
    "runtime/tape/test_tape_conformance.py": "the tape and its reference, feature by feature",
    "runtime/tape/test_tape_guides.py": "examples from TensorFlow's guides",
    "runtime/tape/test_tape_nesting.py": "tapes inside of tapes",
    "runtime/tape/test_tape_reference.py": "examples from TensorFlow's reference",
    "runtime/tape/test_tape_reuse.py": "tapes that are asked again, paused and reset",
    "runtime/tape/test_tape_rules.py": "all rules, on a tape",
    "runtime/tape/test_tape_walk.py": "the modules that a small use of the tape enters",
    "runtime/tape/test_tape_threads.py": "tapes in several threads",
    "api/test_typed_user.py": "what type checkers say of a user's file",
    "tools/test_notebooks.py": "notebooks, on a real kernel",
    "test_benchmarks.py": "the folder benchmarks/",
    "test_collection.py": "the folder benchmarks/collection/",
    "test_matrix_benchmarks.py": "the folder benchmarks/matrices/",
    "test_edge_cases.py": "the table of edge cases in docs/conventions.md",
    "test_memory_order.py": "arrays in Fortran order and with gaps",
    "test_differences.py": "finite differences, by which the tests judge",
    "test_docs.py": "the pages of docs/",
    "test_examples.py": "the folder examples/",
    "test_fuzz.py": "the fuzz campaign, tests/fuzz",
    "test_hidden_dependences.py": "dependences that a derivative must not miss",
    "test_imports.py": "what an import of srcad brings along",
    "test_layout.py": "the layout of the sources",
    "test_mirror.py": "the layout of the tests",
    "test_packaging.py": "the wheel",
    "test_programs.py": "whole programs, in every mode",
    "test_quick.py": "the option --quick of the tests",
    "test_random_programs.py": "random programs, in every mode",
    "test_random_tuples.py": "random programs on tuples",
    "test_readme.py": "code in the README and in docs/",
    "test_references.py": "names of files in comments and docs",
    "test_sample_programs.py": "the folder benchmarks/programs/",
    "test_seeded_faults.py": "scripts/faults.py",
    "test_strong_zeros.py": "slopes that are infinite where the derivative is zero, in every mode",
    "test_waiting.py": "waits of the tests, all of which end",
    "test_user_programs.py": "the programs of tests/programs/users/",
    "test_workloads.py": "the workloads of benchmarks/",
}

# Modules without a file of their own: the file that tests them. A folder stands for all modules in it.
TESTED_ELSEWHERE = {
    "transforms/optimise/hoisted_products.py": "transforms/optimise/test_product_hoisting.py",
    "transforms/optimise/masked_nests.py": "transforms/optimise/test_masked_statements.py",
    "tools/coverage": "tools/coverage/test_page.py",
    "tools/scipy_others.py": "tools/test_scipy_page.py",
    "api/argument_binding.py": "api/test_derivative_object.py",
    "api/cotangent.py": "api/test_grad_vjp_jvp.py",
    "api/njit_derivative.py": "api/test_njit_overloads.py",
    "api/recorded_call.py": "driver/test_interpreted_mode.py",
    "api/signature_stubs.py": "api/test_njit_overloads.py",
    "driver/module_assembly.py": "driver/test_pipeline.py",
    "driver/mid_end.py": "driver/test_pipeline.py",
    "driver/pass_manager.py": "driver/test_pipeline.py",
    "driver/pass_selection.py": "driver/test_passes.py",
    "frontend/refused_syntax.py": "frontend/test_language_subset.py",
    "frontend/frozen_distributions.py": "runtime/rules/test_scipy_stats_programs.py",
    "cuda/active_values.py": "cuda/test_sweep_writer.py",
    "cuda/adjoint_nodes.py": "cuda/test_sweep_writer.py",
    "cuda/adjoint_text.py": "cuda/test_sweep_writer.py",
    "cuda/dead_values.py": "cuda/test_sweep_writer.py",
    "cuda/intrinsics.py": "cuda/test_sweep_writer.py",
    "cuda/kept_values.py": "cuda/test_sweep_writer.py",
    "cuda/region_builder.py": "cuda/test_sweep_writer.py",
    "cuda/regions.py": "cuda/test_sweep_writer.py",
    "cuda/reversed_regions.py": "cuda/test_sweep_writer.py",
    "cuda/thread_core.py": "cuda/test_sweep_writer.py",
    "cuda/gathered_reads.py": "cuda/test_sweep_writer.py",
    "cuda/shared_sums.py": "cuda/test_sweep_writer.py",
    "cuda/statement_slices.py": "cuda/test_sweep_writer.py",
    "cuda/functions/array_expressions.py": "cuda/functions/test_device_function.py",
    "cuda/functions/element_functions.py": "cuda/functions/test_device_function.py",
    "cuda/functions/call_recording.py": "cuda/functions/test_device_function.py",
    "cuda/functions/device.py": "cuda/functions/test_device_function.py",
    "cuda/functions/device_values.py": "cuda/functions/test_device_function.py",
    "cuda/functions/generated_code.py": "cuda/functions/test_device_function.py",
    "cuda/functions/kernel_text.py": "cuda/functions/test_device_function.py",
    "cuda/functions/kernel_writer.py": "cuda/functions/test_device_function.py",
    "cuda/functions/launches.py": "cuda/functions/test_device_function.py",
    "cuda/functions/library_functions.py": "cuda/functions/test_device_function.py",
    "cuda/functions/numpy_functions.py": "cuda/functions/test_device_function.py",
    "cuda/functions/refused_operations.py": "cuda/functions/test_device_function.py",
    "cuda/uniform_values.py": "cuda/test_races.py",
    "cuda/refused_kernels.py": "cuda/test_kernel_source.py",
    "transforms/inference/solver_callees.py": "runtime/rules/test_scipy_optimize.py",
    "frontend/resolve.py": "frontend/test_lower.py",
    "frontend/scope.py": "frontend/test_lower.py",
    "frontend/structured_parameters.py": "api/test_structured_calls.py",
    "printing/layout.py": "printing/test_printer.py",
    "printing/precedence.py": "printing/test_expression_text.py",
    "refusals": "tools/test_limitations.py",
    "runtime/kernels": "runtime/kernels/test_kernels.py",
    "runtime/rulebook": "runtime/rules/test_rules.py",
    "runtime/rules": "runtime/rules/test_rules.py",
    "runtime/support/assumption_errors.py": "transforms/optimise/test_elementwise_fusion.py",
    "runtime/support/structured_arguments.py": "api/test_pytree.py",
    "runtime/tape/core/active_recordings.py": "runtime/tape/test_tape_nesting.py",
    "runtime/tape/core/node.py": "runtime/tape/core/test_reverse_sweep.py",
    "runtime/tape/core/operand.py": "runtime/tape/core/test_tensor.py",
    "runtime/tape/protocols": "runtime/tape/core/test_tensor.py",
    "runtime/tape/public.py": "test_imports.py",
    "runtime/tape/recorder.py": "runtime/tape/test_gradient_tape.py",
    "runtime/tape/recording/definitions.py": "runtime/tape/recording/test_composed_calls.py",
    "runtime/tape/recording/forward_recording.py": "runtime/tape/test_forward_accumulator.py",
    "runtime/tape/recording/rule_coverage.py": "runtime/tape/recording/test_dispatch.py",
    "runtime/tape/reverse/batched_rules.py": "runtime/tape/recording/test_batched_pullbacks.py",
    "runtime/tape/reverse/eager_rules.py": "runtime/tape/test_tape_rules.py",
    "runtime/tape/targets_and_sources.py": "runtime/tape/test_gradient_tape.py",
    "runtime/tape/values/conversions.py": "runtime/tape/core/test_tensor.py",
    "tools/report_page.py": "tools/test_report.py",
    "tools/gradient_figure.py": "tools/test_report.py",
    "tools/demo.py": "tools/test_command.py",
    "transforms/analysis/sweep_boundary.py": "transforms/sweeps/test_gradient_function.py",
    "transforms/checkpointing/iteration_derivative.py": "transforms/checkpointing/test_loop_outlining.py",
    "transforms/checkpointing/snapshot_functions.py": "transforms/checkpointing/test_loop_outlining.py",
    "transforms/ir/algebraic_simplification.py": "transforms/adjoint/test_rule_expansion.py",
    "transforms/ir/block_exits.py": "transforms/lowering/desugaring/test_structured_exits.py",
    "transforms/ir/comments.py": "driver/test_pipeline.py",
    "transforms/ir/generated_functions.py": "transforms/sweeps/test_gradient_function.py",
    "transforms/ir/pass_names.py": "driver/test_passes.py",
    "transforms/ir/type_annotations.py": "transforms/postoptimise/test_copy_elision_moves.py",
    "transforms/ir/unit.py": "transforms/normalise/test_ssa.py",
    "transforms/lowering/lowering_context.py": "frontend/test_lower.py",
    "transforms/lowering/inlining.py": "frontend/test_lower.py",
    "transforms/lowering/lists/growing_list_operations.py": "transforms/lowering/lists/test_growing_lists.py",
    "transforms/lowering/return_values.py": "transforms/lowering/desugaring/test_structured_exits.py",
    "transforms/lowering/structure_passing.py": "transforms/normalise/test_callee_specialisation.py",
    "transforms/lowering/structures/anf_expressions.py": "transforms/lowering/test_anf.py",
    "transforms/lowering/structures/item_and_attribute_access.py": (
        "transforms/lowering/structures/test_structure_expressions.py"
    ),
    "transforms/normalise/callee_normalisation.py": "transforms/normalise/test_callee_specialisation.py",
    "transforms/normalise/list_aliasing.py": "transforms/normalise/test_list_arrays.py",
    "transforms/parallel/parallel_loop_functions.py": "transforms/parallel/test_work_sharing.py",
    "transforms/parallel/race_test.py": "transforms/parallel/test_work_sharing.py",
    "transforms/postoptimise/forward_substitution.py": "driver/test_back_end.py",
    "transforms/postoptimise/allocation/array_arithmetic.py": "transforms/postoptimise/allocation/test_stored_calls.py",
    "transforms/postoptimise/allocation/known_extents.py": "transforms/postoptimise/allocation/test_small_matrices.py",
    "transforms/storage/cut_weights.py": "transforms/storage/test_recomputation.py",
    "transforms/sweeps/independent_loop_schedule.py": "transforms/sweeps/test_reverse_control_flow.py",
}

FILES = sorted(path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
MODULES = sorted(
    path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if path.name not in ("__init__.py", "__main__.py")
)


def modules_of(file: Path) -> list[Path]:
    """The module that a file of tests is named after, or whose part it tests."""
    words = file.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:count]) for count in range(len(words), 0, -1)]
    return [module for name in names if (module := file.with_name(f"{name}.py")) in MODULES][:1]


OF_FILES = {file: modules_of(file) for file in FILES}
WITH_TESTS = {module for modules in OF_FILES.values() for module in modules}


def is_listed(module: Path) -> bool:
    return any(str(each) in TESTED_ELSEWHERE for each in (module, *module.parents))


def test_a_file_of_tests_lies_where_its_module_lies_or_says_what_it_is_about():
    """Else there is no such module in the folder of srcad of the same name, and the file is not in ABOUT_MORE."""
    assert [file for file in FILES if str(file) not in ABOUT_MORE and not OF_FILES[file]] == []


def test_a_module_has_a_file_of_tests_or_says_which_file_tests_it():
    """Else it has no file of its name, and is not in TESTED_ELSEWHERE; or it has, and is to be taken from that list."""
    assert [module for module in MODULES if module not in WITH_TESTS and not is_listed(module)] == []
    assert [module for module in WITH_TESTS if str(module) in TESTED_ELSEWHERE] == []


def test_what_is_listed_exists():
    assert [module for module in TESTED_ELSEWHERE if not (SOURCES / module).exists()] == []
    assert [file for file in (*TESTED_ELSEWHERE.values(), *ABOUT_MORE) if Path(file) not in FILES] == []
