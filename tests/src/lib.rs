//! Tests of keepmind from outside. They live in `tests/`; nothing is here.
