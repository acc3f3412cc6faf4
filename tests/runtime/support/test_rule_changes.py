"""Objects are told when rules change, as long as they live."""

from __future__ import annotations

import gc

from srcad.runtime.support import rule_changes


class Listener:
    def __init__(self, heard):
        self.heard = heard

    def rules_changed(self):
        self.heard.append(rule_changes.state.count)


def test_who_lives_is_told_and_changes_are_counted():
    heard, before = [], rule_changes.state.count
    one, other = Listener(heard), Listener(heard)
    rule_changes.state.told.add(one)
    rule_changes.state.told.add(other)
    del other
    gc.collect()
    rule_changes.tell()
    assert heard == [before + 1]
