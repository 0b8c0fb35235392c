"""The three DSPy signatures that can be optimised, one a file, distinct from each other."""

from hopstop.signatures.decide import Decide, FactClaim
from hopstop.signatures.prune import Prune
from hopstop.signatures.rewrite import Rewrite

__all__ = ["Decide", "FactClaim", "Prune", "Rewrite"]
