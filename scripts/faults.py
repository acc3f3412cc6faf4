"""Faults for `seed_faults.py`: a place in srcad, its text, and a wrong text in place of it.

The text has to occur once in the whole of srcad/, so that a fault stays valid when its function moves to another
module; when the code itself changes, write the fault anew for what is there then. Each is a mistake that somebody could
make and that gives a wrong number for some program: no crash at import, nothing that only makes code slower.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """`about` names the rule, analysis or pass; `what` says what is wrong; `old` becomes `new`."""

    about: str
    what: str
    old: str
    new: str


RULES = (
    Fault(
        "cos",
        "flipped sign",
        "def cos(y, x):\n    return -np.sin(x)\n",
        "def cos(y, x):\n    return np.sin(x)\n",
    ),
    Fault("math.log of two", "dropped factor", "-y / (base * np.log(base))", "-y / base"),
    Fault("arctan2", "flipped sign", "    d[a] = b * t\n    d[b] = a * -t\n", "    d[a] = b * t\n    d[b] = a * t\n"),
    Fault("arctan2, tangent", "flipped sign", "d[a] * (b / t) - d[b] * (a / t)", "d[a] * (b / t) + d[b] * (a / t)"),
    Fault(
        "clip",
        "dropped term",
        "    d[a_max] = np.where(kernels.is_above(a, a_min, a_max), d[y], 0.0)\n",
        "",
    ),
    Fault(
        "divide, tangent",
        "dropped factor",
        "def truediv_tangent(y, a, b):\n    d[y] = d[a] / b - d[b] * y / b\n",
        "def truediv_tangent(y, a, b):\n    d[y] = d[a] / b - d[b] * y\n",
    ),
    Fault(
        "power",
        "wrong argument",
        "kernels.power_slope(a, b), kernels.power_log(y, a)\n",
        "kernels.power_slope(a, b), kernels.power_log(y, b)\n",
    ),
    Fault("mod", "dropped term", "    return 1.0, -(a // b)\n", "    return 1.0, None\n"),
    Fault(
        "mean",
        "axis forgotten",
        "kernels.spread(d[y] / kernels.reduced_size(a.shape, axis), a.shape, axis, keepdims)",
        "kernels.spread(d[y] / kernels.reduced_size(a.shape), a.shape, axis, keepdims)",
    ),
    Fault(
        "var, tangent",
        "ddof forgotten",
        "np.mean(a, axis=axis, keepdims=True)) * (2.0 / (kernels.reduced_size(np.shape(a), axis) - ddof))\n",
        "np.mean(a, axis=axis, keepdims=True)) * (2.0 / kernels.reduced_size(np.shape(a), axis))\n",
    ),
    Fault(
        "vector @ matrix",
        "swapped arguments",
        "    d[a] = kernels.times(b, d[y])\n    d[b] = np.outer(a, d[y])\n",
        "    d[a] = kernels.times(b, d[y])\n    d[b] = np.outer(d[y], a)\n",
    ),
    Fault("vdot", "conjugate forgotten", "    d[b] = d[y] * np.conjugate(a)\n", "    d[b] = d[y] * a\n"),
    Fault(
        "cross",
        "no unbroadcast",
        "kernels.unbroadcast(np.cross(b, np.reshape(d[y], y.shape[:-1] + (3,))), a)",
        "np.cross(b, d[y])",
    ),
    Fault(
        "solve",
        "flipped sign",
        "    w = kernels.solve_factored_transposed(a, factors, d[x])\n    d[b] = w\n    d[a] = np.outer(-w, x)\n",
        "    w = kernels.solve_factored_transposed(a, factors, d[x])\n    d[b] = w\n    d[a] = np.outer(w, x)\n",
    ),
    Fault("cholesky, tangent", "dropped term", "0.5 * (np.tril(m) + np.tril(m, -1))", "0.5 * np.tril(m)"),
    Fault(
        "modulus squared, tangent",
        "conjugate forgotten",
        "np.real(2.0 * np.conjugate(z) * d[z])",
        "np.real(2.0 * z * d[z])",
    ),
    Fault(
        "moveaxis",
        "swapped axes",
        "np.moveaxis(d[y], destination, source)",
        "np.moveaxis(d[y], source, destination)",
    ),
    Fault("roll", "flipped sign", "np.roll(d[y], kernels.opposite(shift), axis)", "np.roll(d[y], shift, axis)"),
    Fault("tril", "no unbroadcast", "kernels.unbroadcast(np.tril(d[y], k), m)", "np.tril(d[y], k)"),
    Fault(
        "linspace",
        "dropped term",
        "    d[start] = np.sum(d[y] * (1.0 - t))\n    d[stop] = np.sum(d[y] * t)\n",
        "    d[start] = np.sum(d[y])\n    d[stop] = np.sum(d[y] * t)\n",
    ),
    Fault(
        "einsum of three",
        "index off by one",
        "kernels.einsum_adjoint(d[y], subscripts, 2, (a, b, c))",
        "kernels.einsum_adjoint(d[y], subscripts, 1, (a, b, c))",
    ),
    Fault(
        "vecdot on a tape",
        "swapped arguments",
        "d[x1] = composed_functions.vecdot_adjoint(d[y], x2, x1, axis)",
        "d[x1] = composed_functions.vecdot_adjoint(d[y], x1, x2, axis)",
    ),
    Fault(
        "scatter",
        "places that occur twice",
        "        np.add.at(bar, index, value)\n\n\ndef scatter(",
        "        bar[index] += value\n\n\ndef scatter(",
    ),
)

ANALYSES = (
    Fault(
        "aliases",
        "forgets that reshape may be a view",
        '(rule.kind == "view" or rule.may_view for rule in rules)',
        '(rule.kind == "view" for rule in rules)',
    ),
    Fault(
        "aliases",
        "a store through a view does not write its base",
        "for site in fresh or of.get(name, {name})",
        "for site in fresh or {name}",
    ),
    Fault(
        "aliases",
        "forgets views by subscript",
        "                if not is_new or self._is_list(base):\n",
        "                if self._is_list(base):\n",
    ),
    Fault(
        "aliases",
        "forgets that the caller may pass one array twice",
        "return not self.are_apart and bool(first & self.given) and bool(second & self.given)",
        "return False",
    ),
    Fault(
        "liveness",
        "one arm is enough to store",
        "return one if one.bits == other.bits else one | other",
        "return one if one.bits == other.bits else one & other",
    ),
    Fault(
        "liveness",
        "a loop that may not run stores",
        "return problem.transfer(loop, head) if is_for else head\n",
        "return problem.transfer(loop, start) if is_for else head\n",
    ),
    Fault(
        "activity",
        "drops the edge from an array to its elements",
        "        case gast.Subscript(value=base):\n            return list(names_in(base))\n        case gast.Name()",
        "        case gast.Subscript(value=base):\n            return []\n        case gast.Name()",
    ),
    Fault(
        "array_kills",
        "a loop that may not run stores",
        "if symbols & inner or len(wide) > 1 or not (wide or is_run):",
        "if symbols & inner or len(wide) > 1:",
    ),
    Fault(
        "array_kills",
        "one arm is enough to store",
        "return [box for box in arms[0] if box in arms[1]]",
        "return arms[0] or arms[1]",
    ),
    Fault(
        "array_kills",
        "an iteration stores before it begins",
        "low, high = (low, index - 1) if bounds.step == 1 else",
        "low, high = (low, index) if bounds.step == 1 else",
    ),
    Fault(
        "dependence_test",
        "the next iteration is skipped",
        "return [after - before - step] if step > 0 else",
        "return [after - before - step - step] if step > 0 else",
    ),
    Fault(
        "dependence_test",
        "the last element of a range is left out",
        "system.append(a[1].renamed(left) - b[0].renamed(right))",
        "system.append(a[1].renamed(left) - b[0].renamed(right) - 1)",
    ),
    Fault(
        "linear_forms",
        "zero is taken to be negative",
        "if any(not form.terms and form.constant < 0 for form in system):",
        "if any(not form.terms and form.constant <= 0 for form in system):",
    ),
    Fault(
        "linear_forms",
        "the greatest of an index that is subtracted is taken to be its least",
        "        if factor < 0 or low is None:\n            return False\n",
        "        if low is None:\n            return False\n",
    ),
    Fault(
        "integer_facts",
        "a loop reaches its stop",
        "return Bounds(first, None if last is None else last - 1, step)",
        "return Bounds(first, last, step)",
    ),
    Fault(
        "integer_facts",
        "both arms of a branch are taken to know its test",
        "kind = type(operator) if holds else _OPPOSITE.get(type(operator))",
        "kind = type(operator)",
    ),
    Fault(
        "point_facts",
        "a fact outlives a store into a name in it",
        "if each in names or not form.names.isdisjoint(names)]",
        "if each in names]",
    ),
    Fault(
        "point_facts",
        "a bound that the loop stores",
        "found.suppose(each for each in limits if not stored & each.names - {index})",
        "found.suppose(limits)",
    ),
    Fault(
        "accesses",
        "a negative index does not count from the end",
        "return part if is_known else None",
        "return part",
    ),
    Fault(
        "index_ranges",
        "a loop that counts down is taken to count up",
        "pace = factor * step\n",
        "pace = factor * abs(step)\n",
    ),
    Fault(
        "point_facts",
        "an array that the loop stores is taken to keep its length",
        "return None if array in self._varying else Form.of(",
        "return Form.of(",
    ),
    Fault(
        "extents",
        "axes of a transpose are not swapped",
        "return (self.dimensions(first.id) or ())[::-1] or None",
        "return self.dimensions(first.id)",
    ),
)

DIFFERENTIATION = (
    Fault(
        "accumulation",
        "overwrites instead of adding",
        "statement = augment(stored(self.bar(name)), operation, contribution, place)",
        "statement = assign(self.bar(name), contribution, place)",
    ),
    Fault(
        "accumulation",
        "a sign that is flipped twice",
        "flipped = gast.Sub if operation is gast.Add else gast.Add",
        "flipped = gast.Sub",
    ),
    Fault(
        "adjoint_statements",
        "a stored row that is broadcast to a slice",
        "            elif not self.fills(name, base, index):\n",
        "            elif types.rank(name) == types.rank(base):\n",
    ),
    Fault(
        "adjoint_statements",
        "a stored view of the same memory",
        "        if program.aliases.may_alias(value.id, base):\n            # The stored",
        "        if value.id == base:\n            # The stored",
    ),
    Fault(
        "adjoint_statements",
        "the adjoint of a carried name is not cleared",
        "return len(flow.spot(statement).loops) > self.program.loops_at_home(name)",
        "return False",
    ),
    Fault(
        "reverse_plan", "the first contribution reads the adjoint", "if name in names_in(value) or not (", "if not ("
    ),
    Fault(
        "reverse_plan",
        "the first contribution is not copied",
        "elif not begun.value_is_number and not _is_fresh(value):",
        "elif begun.value_is_number and not _is_fresh(value):",
    ),
    Fault(
        "reverse_control_flow",
        "the first iteration is not reversed",
        "bounds = [_plus(stop, -1), _plus(start, -1), gast",
        "bounds = [_plus(stop, -1), start, gast",
    ),
    Fault(
        "reverse_control_flow",
        "the last iteration of a loop that counts down is not reversed",
        "[_plus(stop, 1), _plus(start, 1), gast.Constant(1, None)]",
        "[_plus(stop, 2), _plus(start, 1), gast.Constant(1, None)]",
    ),
    Fault(
        "zero_guards",
        "both of two adjoints must be nonzero",
        "op=gast.Or(), values=tests",
        "op=gast.And(), values=tests",
    ),
    Fault(
        "zero_guards",
        "skips a number that is read afterwards",
        "            if target in bars and target not in own:\n                return None\n",
        "            if target in bars and target not in own and target not in numbers:\n                return None\n",
    ),
    Fault(
        "iteration_local_reversal",
        "iterations may read what others add to",
        'not in ({"read"}, {"add"})\n',
        'not in ({"read"}, {"add"}, {"read", "add"})\n',
    ),
    Fault(
        "call_derivatives",
        "adjoints of two results swapped",
        "for position in outs]\n        reverse = call(",
        "for position in reversed(outs)]\n        reverse = call(",
    ),
    Fault(
        "call_derivatives",
        "adjoints of two arguments swapped",
        "for k, position in enumerate(numbers):\n            code += adjoints.add(",
        "for k, position in enumerate(reversed(numbers)):\n            code += adjoints.add(",
    ),
    Fault(
        "tangent_mode",
        "a tangent that shares memory with another",
        '        return call("np.copy", value) if written else value\n',
        "        return value\n",
    ),
    Fault(
        "tangent_mode",
        "a tangent that is not broadcast",
        'return binary(call("np.zeros_like", load(name)), gast.Add, total)',
        "return total",
    ),
)

STORAGE = (
    Fault(
        "tbr",
        "forgets arrays that are written later",
        "        return [(step.statement, load(name)) for name in sorted(found)]\n",
        "        return []\n",
    ),
    Fault(
        "tbr",
        "a value is kept for its first use only",
        "self.requests[name] = max(self.requests.get(name, -1), position)",
        "self.requests[name] = min(self.requests.get(name, position), position)",
    ),
    Fault(
        "recomputation",
        "overlooks the last store before a use",
        "flow.spot(statement).number < flow.spot(store).number <= until",
        "flow.spot(statement).number < flow.spot(store).number < until",
    ),
    Fault(
        "recomputation",
        "overlooks stores of later iterations",
        "found = [store for store, target in stores if meeting.may_meet(statement, what, store, target, least=least)]",
        "found = [store for store, target in stores if meeting.may_meet(statement, what, store, target, True, least)]",
    ),
    Fault(
        "traces",
        "a growing trace is read one place too high",
        "            [augment(stored(at), gast.Sub, const(1)), assign(name, subscript(load(trace), load(at)))],\n",
        "            [assign(name, subscript(load(trace), load(at))), augment(stored(at), gast.Sub, const(1))],\n",
    ),
    Fault(
        "trip_counts",
        "iterations are numbered by the index, from wherever it starts",
        "return Extent(_count(sites, high, low), _less(number, start), True)",
        "return Extent(_count(sites, high, low), number, True)",
    ),
    Fault(
        "snapshot_functions",
        "the iteration after the one to be reversed",
        'index = f"{self.first} + {self.here} * {self.width}"',
        'index = f"{self.first} + ({self.here} + 1) * {self.width}"',
    ),
    Fault(
        "snapshot_functions",
        "the adjoint of an input is overwritten",
        "{'+=' if name in state.inputs else '='} t[{k}]",
        "= t[{k}]",
    ),
)

PASSES = (
    Fault(
        "ssa",
        "an arm sees what the other has stored",
        "            inner = dict(bindings)\n            arms.append(",
        "            inner = bindings\n            arms.append(",
    ),
    Fault(
        "alias_versioning",
        "the other array",
        "gast.Compare(left=which, ops=[gast.Eq()], comparators=[number])",
        "gast.Compare(left=which, ops=[gast.NotEq()], comparators=[number])",
    ),
    Fault(
        "elementwise_fusion",
        "an operand that changes in between",
        "        if not self.fits(name, statement, final) or not self.is_unchanged(statement, final):\n",
        "        if not self.fits(name, statement, final):\n",
    ),
    Fault(
        "elementwise_fusion",
        "ignores that a store overlaps what it reads",
        "        if self.overlaps(value, statement, target, leaf):\n",
        "        if self.overlaps(value, statement, target, leaf) and rank > 1:\n",
    ),
    Fault(
        "cse_and_licm",
        "forgets that a store kills a load",
        'return not program.aliases.is_written(str(getattr(statement.value.value, "id", "")))',
        "return True",
    ),
    Fault(
        "redundancy_elimination",
        "forgets that a store kills a value",
        "if name not in names and not of & names}",
        "if name not in names}",
    ),
    Fault(
        "dead_code",
        "forgets stores into an array that is read",
        "            yield from self.changing(name)\n        if is_loop(statement)",
        "            pass\n        if is_loop(statement)",
    ),
    Fault(
        "dead_code",
        "drops an assertion",
        "case gast.Return() | gast.Assert() | gast.Raise():\n            return True\n        case gast.Expr(",
        "case gast.Return() | gast.Raise():\n            return True\n        case gast.Expr(",
    ),
    Fault(
        "copy_propagation",
        "past a store into the original",
        "stores[value.id] == 1 and value.id not in changed_names",
        "stores[value.id] == 1",
    ),
    Fault(
        "forward_substitution",
        "past a store through another name",
        "            insort(self.changed[self.alias_class(name)], at)",
        "            insort(self.changed[name], at)",
    ),
    Fault(
        "scalar_replacement",
        "ignores another array that may share memory",
        "        if own.name != other.name:\n            return False\n        return own.forms == other.forms",
        "        if own.name != other.name:\n            return True\n        return own.forms == other.forms",
    ),
    Fault(
        "scalar_replacement",
        "reads elements for a loop that does not run",
        "if _has_iterations(loop, at) or {each.place for each in elements} <= reached:",
        "if elements:",
    ),
    Fault(
        "loop_order",
        "overlooks a distance between iterations",
        "            if apart not in (None, (0, 0)):\n",
        "            if apart not in (None, (0, 0), (1, 1), (-1, -1)):\n",
    ),
    Fault(
        "loop_distribution",
        "moves a sum past a read",
        'if access.kind != "add" and self.may_be(own, access)',
        'if access.kind == "store" and self.may_be(own, access)',
    ),
    Fault(
        "buffer_reuse",
        "takes the memory of an array that is read afterwards",
        "if giver in mentions(body[over:]) or (store is None",
        "if (store is None",
    ),
)

TAPE = (
    Fault(
        "reverse_sweep",
        "the second seed of a target replaces the first",
        "bars[identity] = bars[identity] + seed if identity in bars else seed\n",
        "bars[identity] = seed\n",
    ),
    Fault(
        "pullbacks",
        "conjugate forgotten",
        "bars = run(_conjugate(bar) if conjugates else bar, result, *arguments, **named)",
        "bars = run(bar, result, *arguments, **named)",
    ),
)

GROUPS = {
    "rules": RULES,
    "analyses": ANALYSES,
    "differentiation": DIFFERENTIATION,
    "storage": STORAGE,
    "passes": PASSES,
    "tape": TAPE,
}
