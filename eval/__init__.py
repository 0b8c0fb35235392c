"""Labelled questions, measures, runs and reports: how good a program is, and where it goes wrong."""
