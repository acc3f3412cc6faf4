"""Functions over arrays in device memory, and their gradients: `srcad.cuda.function`, `grad` and `value_and_grad`.

Input        a function in NumPy; at each call, device arrays and numbers.
Output       device arrays and numbers; kernels in between, few of them, with text to read.
Invariant    what has no form in kernels is refused; nothing but numbers is copied to the host.
Elsewhere    the generated function is that of the host (`srcad.driver`), with its array statements as they are.
"""

from srcad.cuda.functions.device_function import DeviceFunction, function, grad, value_and_grad

__all__ = ["DeviceFunction", "function", "grad", "value_and_grad"]
