"""Random programs over the whole language, the judge of their derivatives, and campaigns of thousands of them."""
