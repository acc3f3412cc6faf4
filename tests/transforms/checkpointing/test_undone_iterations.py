import numpy as np

import srcad
from tests.transforms.checkpointing.test_loop_outlining import module_of


def back(x, k):
    return x - 0.1 * k


@srcad.reversible(back)
def forth(x, k):
    return x + 0.1 * k


def walk(x, k, n):
    for i in range(2, 2 + 3 * n, 3):
        x = forth(x, k * i)
    return np.sum(x * x)


def test_each_iteration_is_undone_run_again_and_reversed_once():
    module = module_of(walk, "reverse", np.ones(2), 2.0, 5)
    (loop,) = {name.removesuffix("_advance") for name in module if name.endswith("_advance")}
    run = {"advance": [], "undo": [], "iteration": []}

    def counted(kind, function):
        def call(first, *args):
            run[kind] += [first] if kind == "iteration" else range(first, args[0], args[1])
            return function(first, *args)

        return call

    module.update({f"{loop}_{kind}": counted(kind, module[f"{loop}_{kind}"]) for kind in run})
    _, trace = module["walk_forward"](np.ones(2), 2.0, 5)
    forward = list(range(2, 17, 3))
    assert run == {"advance": forward, "undo": [], "iteration": []}
    module["walk_reverse"](np.ones(2), 2.0, 5, trace, 1.0)
    assert run == {"advance": forward + forward[::-1], "undo": forward[::-1], "iteration": forward[::-1]}
