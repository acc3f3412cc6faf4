"""Parts of a range that threads take, and the loop's text."""

import threading

import pytest

from srcad.batching.element_loop import share_out, thread_count


def test_all_elements_are_done_once():
    done, lock = [], threading.Lock()

    def work(first, last):
        with lock:
            done.extend(range(first, last))

    share_out(work, 3, 1000, 4)
    assert sorted(done) == list(range(3, 1000))
    assert thread_count() >= 1


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_exception_is_raised(workers):
    def work(first, last):
        for k in range(first, last):
            if k in (40, 700):
                raise ValueError(k)

    with pytest.raises(ValueError, match="40"):
        share_out(work, 0, 1000, workers)
