"""Every error that Hopstop raises on purpose.

    HopstopError
    ├── BadInput            what the caller handed over cannot be used
    │   ├── BadQuestion     an empty or oversized question
    │   ├── BadCorpus       a passage file, folder or record
    │   ├── BadDataset      a file of labelled questions, or a record of it
    │   └── BadLimits       a limit outside its range
    ├── BadIndex            an index folder that is missing, half written or not ours
    │   └── AnalyzerMismatch  an index made with another analyzer
    ├── ArtifactMismatch    a compiled program that does not fit this one
    └── SearchFailed        a search engine that is out of order; a run turns it into a named end

A message says what happened, where (file, line, field) and what to do next. It never holds a key, an address of an
LM, or text of a passage.
"""

from __future__ import annotations


class HopstopError(Exception):
    """Base of all errors of Hopstop; the command line prints its message and exits with 1."""


class BadInput(HopstopError, ValueError):
    """What the caller handed over cannot be used."""


class BadQuestion(BadInput):
    """The question is empty or longer than the program accepts."""


class BadCorpus(BadInput):
    """A corpus file, folder or record cannot be read as passages."""


class BadDataset(BadInput):
    """A file of labelled questions cannot be read, or does not fit its corpus."""


class BadLimits(BadInput):
    """A limit lies outside its range."""


class BadIndex(HopstopError):
    """An index folder is missing, half written or not made by Hopstop."""


class AnalyzerMismatch(BadIndex):
    """The index was made with another analyzer than the one that would read it."""


class ArtifactMismatch(HopstopError):
    """A compiled program does not fit the program that should load it."""


class SearchFailed(HopstopError):
    """A search engine is out of order; retrievers raise it `from` their client's error, whose class a run tells."""
