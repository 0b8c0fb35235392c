"""What makes programs better and shows them: labels, recipes, calibration, and the command line."""

from __future__ import annotations

__all__: list[str] = []
