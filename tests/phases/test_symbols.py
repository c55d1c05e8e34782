"""Reading libraries of any platform; what good ones export is in ``test_compile``."""

from __future__ import annotations

import struct

import pytest

from fmugen.errors import CompileError
from fmugen.phases.compile.symbols import read_interface


def mach_o(trie: bytes) -> bytes:
    """A library with one load command, which says where the export trie is."""
    command = struct.pack("<IIII", 0x80000033, 16, 48, len(trie))
    return struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 1, len(command), 0, 0) + command + trie


def test_words_of_an_export_trie() -> None:
    # The root has the edge "_fmi2" to a node at 9 that ends no word; its edges lead to leaves at 21 and 24.
    root = b"\x00\x01" + b"_fmi2\x00\x09"
    inner = b"\x00\x02" + b"Get\x00\x15" + b"Set\x00\x18"
    leaf = b"\x01\x00\x00"
    trie = root + inner + leaf + leaf
    assert read_interface(mach_o(trie)).exports == {"fmi2Get", "fmi2Set"}


def test_a_trie_that_never_ends_is_damaged() -> None:
    with pytest.raises(CompileError, match="damaged: its export trie has a cycle"):
        read_interface(mach_o(b"\x00\x01a\x00\x00"))


@pytest.mark.parametrize("magic", [b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe"])
def test_a_library_that_ends_too_early_is_damaged(magic: bytes) -> None:
    with pytest.raises(CompileError, match="the compiled library is damaged"):
        read_interface(magic + b"\x00" * 8)


def test_other_files_are_no_libraries() -> None:
    with pytest.raises(CompileError, match="is not a shared library"):
        read_interface(b"#!/bin/sh\n")
