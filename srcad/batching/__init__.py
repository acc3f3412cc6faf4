"""One function for many arguments: `srcad.vmap` along an axis, `srcad.map_gradient` over batches that stream.

Input        a function or a derivative, axes; at each call, arguments with one more axis, or an iterable of batches.
Output       results with one more axis; sums or means of values and gradients.
Invariant    results do not depend on the number of threads.
Elsewhere    what runs for one element is the derivative or compiled function of `srcad.api`.
"""
