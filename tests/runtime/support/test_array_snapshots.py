import numpy as np

from srcad.runtime.support.array_snapshots import emptied, is_writable, shell_of, snapshot


def test_a_snapshot_does_not_see_later_changes():
    array = np.ones(3)
    taken = snapshot({"a": [array, 2.0]})
    array[0] = 5.0
    assert taken["a"][0].tolist() == [1.0, 1.0, 1.0]
    assert taken["a"][1] == 2.0


def test_what_nobody_can_change_is_not_copied():
    array = np.ones(3)
    array.flags.writeable = False
    assert snapshot([array])[0] is array


def test_a_read_only_view_of_a_writable_array_is_writable():
    array = np.ones(3)
    view = array[1:]
    view.flags.writeable = False
    assert is_writable(view)


def test_a_shell_has_shape_and_dtype_and_no_memory():
    shell = emptied(np.ones((1000, 1000), np.float32))
    assert (shell.shape, shell.dtype, shell.strides) == ((1000, 1000), np.float32, (0, 0))
    assert shell is shell_of((1000, 1000), np.dtype(np.float32))
    assert emptied(2.5) == 2.5
