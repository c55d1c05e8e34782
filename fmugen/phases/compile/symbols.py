"""The symbols that a shared library exports and imports, read from its bytes.

An FMU may contain libraries of platforms that this machine cannot load. The tables of their loaders are
therefore read here: the dynamic symbols of an ELF file, the export directory of a PE file, the export trie of
a Mach-O file. Only 64-bit little-endian files are supported.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fmugen.errors import CompileError

__all__ = ["Interface", "read_interface"]

_Locator = Callable[[int], int]


@dataclass(frozen=True)
class Interface:
    """Names a library defines for others, and the libraries it is linked to."""

    exports: frozenset[str]
    needs: frozenset[str]


def read_interface(library: bytes) -> Interface:
    """The interface of a library.

    Raises
    ------
    CompileError
        If the bytes are not a shared library, or a damaged one.
    """
    readers = {b"\x7fELF": _read_elf, b"MZ": _read_pe, b"\xcf\xfa\xed\xfe": _read_mach_o}
    for magic, reader in readers.items():
        if library.startswith(magic):
            try:
                return reader(library)
            except (struct.error, IndexError, ValueError) as error:
                raise CompileError(f"the compiled library is damaged: {error}") from error
    raise CompileError("the output of the compiler is not a shared library")


def _text(data: bytes, offset: int) -> str:
    return data[offset : data.index(b"\0", offset)].decode("utf-8")


# --- ELF -------------------------------------------------------------------------------------------

_DYNAMIC, _DYNSYM = 6, 11
_NEEDED = 1
_HIDDEN_VISIBILITIES = (1, 2)


def _read_elf(data: bytes) -> Interface:
    sections = list(_elf_sections(data))
    exports: set[str] = set()
    needs: set[str] = set()
    for kind, offset, size, link in sections:
        names = sections[link][1] if link < len(sections) else 0
        if kind == _DYNSYM:
            exports.update(_elf_exports(data[offset : offset + size], data, names))
        elif kind == _DYNAMIC:
            for tag, value in struct.iter_unpack("<qQ", data[offset : offset + size]):
                if tag == _NEEDED:
                    needs.add(_text(data, names + value))
    return Interface(frozenset(exports), frozenset(needs))


def _elf_sections(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Type, offset, size and linked section of each section."""
    (table,) = struct.unpack_from("<Q", data, 40)
    entry_size, count = struct.unpack_from("<HH", data, 58)
    for number in range(count):
        _, kind, _, _, offset, size, link = struct.unpack_from("<IIQQQQI", data, table + number * entry_size)
        yield kind, offset, size, link


def _elf_exports(symbols: bytes, data: bytes, names: int) -> Iterator[str]:
    for name, info, other, section, _, _ in struct.iter_unpack("<IBBHQQ", symbols):
        is_local = info >> 4 == 0
        if section and not is_local and other & 3 not in _HIDDEN_VISIBILITIES:
            yield _text(data, names + name)


# --- PE --------------------------------------------------------------------------------------------


def _read_pe(data: bytes) -> Interface:
    (header,) = struct.unpack_from("<I", data, 60)
    if data[header : header + 4] != b"PE\0\0":
        raise ValueError("its PE header is missing")
    (section_count,) = struct.unpack_from("<H", data, header + 6)
    (optional_size,) = struct.unpack_from("<H", data, header + 20)
    optional = header + 24
    first = optional + optional_size
    sections = [struct.unpack_from("<IIII", data, first + 40 * i + 8) for i in range(section_count)]

    def at(address: int) -> int:
        for size, start, raw_size, raw in sections:
            if start <= address < start + max(size, raw_size):
                return int(raw + address - start)
        raise ValueError(f"no section contains the address {address}")

    exports, _, imports, _ = struct.unpack_from("<4I", data, optional + 112)
    return Interface(
        frozenset(_pe_exports(data, at(exports), at) if exports else ()),
        frozenset(_pe_imports(data, at(imports), at) if imports else ()),
    )


def _pe_exports(data: bytes, directory: int, at: _Locator) -> Iterator[str]:
    count, _, names = struct.unpack_from("<III", data, directory + 24)
    table = at(names) if count else 0
    for (address,) in struct.iter_unpack("<I", data[table : table + 4 * count]):
        yield _text(data, at(address))


def _pe_imports(data: bytes, descriptor: int, at: _Locator) -> Iterator[str]:
    while (name := struct.unpack_from("<I", data, descriptor + 12)[0]) != 0:
        yield _text(data, at(name))
        descriptor += 20


# --- Mach-O ----------------------------------------------------------------------------------------

_LOAD_DYLIB = 0xC
_DYLD_INFO = (0x22, 0x80000022)
_EXPORTS_TRIE = 0x80000033


def _read_mach_o(data: bytes) -> Interface:
    (count,) = struct.unpack_from("<I", data, 16)
    exports: set[str] = set()
    needs: set[str] = set()
    place = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, place)
        if command == _LOAD_DYLIB:
            needs.add(_text(data, place + struct.unpack_from("<I", data, place + 8)[0]))
        elif command in _DYLD_INFO:
            trie, length = struct.unpack_from("<II", data, place + 40)
            exports.update(_trie_names(data[trie : trie + length]))
        elif command == _EXPORTS_TRIE:
            trie, length = struct.unpack_from("<II", data, place + 8)
            exports.update(_trie_names(data[trie : trie + length]))
        place += size
    # In C every name has an underscore in front.
    return Interface(frozenset(name.removeprefix("_") for name in exports), frozenset(needs))


def _trie_names(trie: bytes) -> Iterator[str]:
    """All words of an export trie: nodes with a terminal part end a word, edges are pieces of words."""
    stack = [(0, "")] if trie else []
    visited: set[int] = set()
    while stack:
        node, word = stack.pop()
        if node in visited:
            raise ValueError("its export trie has a cycle")
        visited.add(node)
        terminal, place = _uleb128(trie, node)
        if terminal:
            yield word
        place += terminal
        children, place = trie[place], place + 1
        for _ in range(children):
            piece = _text(trie, place)
            place += len(piece.encode("utf-8")) + 1
            child, place = _uleb128(trie, place)
            stack.append((child, word + piece))


def _uleb128(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place
