#!/usr/bin/env python3
"""wrap_prose.py FILE... - lays out the prose of documents (Markdown) at the columns of .clang-format, in place.

Tables, code and headings stay as they are.  The scripts that make pages import wrap() from here."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", ".clang-format")) as style:
    COLUMNS = int(re.search(r"^ColumnLimit: *(\d+)", style.read(), re.M).group(1))
ITEM = re.compile(r"( *)([*+-]|\d+\.) +")
MARK = re.compile(r"([*+>#=-]+|\d+\.)$|\|")  # would begin a list, a heading, a quotation or a table on a new line


def words(text):
    """Split at spaces, but not inside `code`, and so that no line begins with what Markdown takes for a mark."""
    found = []
    for word in re.findall(r"(?:`[^`]*`|[^\s`]|`(?![^`]*`))+", text):
        if found and MARK.match(word):
            found[-1] += " " + word
        else:
            found.append(word)
    return found


def fill(text, first="", rest=""):
    lines, line = [], first
    for word in words(text):
        if line.strip() and line != first and len(line) + 1 + len(word) > COLUMNS:
            lines.append(line)
            line = rest + word
        else:
            line += word if line in (first, rest) else " " + word
    return lines + [line]


def wrap(page):
    """The page with its paragraphs and list items filled."""
    out, text, first, rest = [], [], "", ""
    fenced = in_list = code = False
    blank = True

    def flush():
        if text:
            out.extend(fill(" ".join(text), first, rest))
            text.clear()

    for line in page.split("\n"):
        item = ITEM.match(line)
        if line.lstrip().startswith("```"):
            flush()
            fenced = not fenced
            out.append(line)
        elif fenced or line.lstrip().startswith("|") or line.startswith("#"):
            flush()
            out.append(line)
            in_list = in_list and (fenced or line.startswith(" "))
        elif not line.strip():
            flush()
            out.append("")
        elif line.startswith("    ") and (code or blank and not in_list):
            out.append(line)
            code, blank = True, False
            continue
        elif item:
            flush()
            first, rest, in_list = item.group(0), " " * len(item.group(0)), True
            text.append(line[item.end():])
        else:
            if not text:
                indent = len(line) - len(line.lstrip())
                in_list = in_list and indent > 0
                first = rest = " " * indent
            text.append(line.strip())
        blank, code = not line.strip(), code and not line.strip()
    flush()
    return "\n".join(out)


def main():
    for path in sys.argv[1:]:
        with open(path) as page:
            before = page.read()
        after = wrap(before)
        if after != before:
            with open(path, "w") as page:
                page.write(after)


if __name__ == "__main__":
    main()
