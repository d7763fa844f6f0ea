"""site_markdown.py - the Markdown of keel's documents as HTML: headings, lists, tables, blocks, links, nothing more."""
import html
import re


def anchor(head):
    """What a heading is called in links."""
    return re.sub(r"[^\w -]", "", re.sub(r"`", "", head.lower())).replace(" ", "-")


def inline(text, target):
    """Code first, so that nothing inside of it is taken for something else."""
    kept = []

    def keep(piece):
        kept.append(piece)
        return "\0%d\0" % (len(kept) - 1)

    text = re.sub(r"(`+)(.+?)\1", lambda one: keep("<code>%s</code>" % html.escape(one.group(2).strip())), text)
    text = html.escape(text, quote=False)
    text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)",
                  lambda one: keep('<img src="%s" alt="%s">' % (html.escape(target(one.group(2))), html.escape(one.group(1)))), text)
    text = re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)",
                  lambda one: '%s%s</a>' % (keep('<a href="%s">' % html.escape(target(one.group(2)))), one.group(1)), text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", r"<em>\1</em>", text)
    while "\0" in text:
        text = re.sub(r"\0(\d+)\0", lambda one: kept[int(one.group(1))], text)
    return text


def table(lines, target):
    cells = [[cell.strip().replace("\1", "|") for cell in re.sub(r"\\\|", "\1", line).strip().strip("|").split("|")] for line in lines]
    body = cells[2:]
    head = "".join("<th>%s</th>" % inline(cell, target) for cell in cells[0])
    rows = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % inline(cell, target) for cell in row) for row in body)
    return '<div class="wide"><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>' % (head, rows)


def items(lines, target, block):
    """A list, its items with what is indented below them."""
    kind = "ol" if re.match(r"\d", lines[0]) else "ul"
    found = []
    for line in lines:
        start = re.match(r"([*-]|\d+\.) +", line)
        if start:
            found.append([line[start.end():]])
        else:
            found[-1].append(re.sub(r"^ {1,4}", "", line))
    def one(piece):
        body = render(piece, target, block)
        alone = re.fullmatch(r"<p>(.*)</p>", body, re.S)
        return alone.group(1) if alone and "<p>" not in alone.group(1) else body
    return "<%s>%s</%s>" % (kind, "".join("<li>%s</li>" % one(piece) for piece in found), kind)


def take(lines, at, goes_on):
    end = at + 1
    while end < len(lines) and goes_on(lines[end], end):
        end += 1
    return end


def render(lines, target, block):
    out, at = [], 0
    starts = re.compile(r"#|```|\||([*-]|\d+\.) |    |>")
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = take(lines, at, lambda one, _: not one.startswith("```"))
            out.append(block(line[3:].strip(), "\n".join(lines[at + 1:end]) + "\n"))
            at = end + 1
        elif line.startswith("#"):
            level, head = len(re.match("#+", line).group()), line.lstrip("#").strip()
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head)
            out.append('<h%d id="%s">%s</h%d>' % (level, anchor(plain), inline(head, target), level))
            at += 1
        elif line.startswith("|"):
            end = take(lines, at, lambda one, _: one.startswith("|"))
            out.append(table(lines[at:end], target))
            at = end
        elif re.match(r"([*-]|\d+\.) ", line):
            end = take(lines, at, lambda one, k: bool(re.match(r"([*-]|\d+\.) |  ", one)) or
                       (not one.strip() and k + 1 < len(lines) and bool(re.match(r"  |([*-]|\d+\.) ", lines[k + 1]))) or
                       bool(one.strip() and not starts.match(one) and lines[k - 1].strip()))
            out.append(items([one for one in lines[at:end]], target, block))
            at = end
        elif line.startswith("    "):
            end = take(lines, at, lambda one, _: one.startswith("    ") or not one.strip())
            out.append('<pre class="plain"><code>%s</code></pre>' % html.escape("\n".join(one[4:] for one in lines[at:end]).rstrip()))
            at = end
        else:
            end = take(lines, at, lambda one, _: bool(one.strip()) and not re.match(r"#|```|\||([*-]|\d+\.) ", one))
            out.append("<p>%s</p>" % inline("\n".join(lines[at:end]), target))
            at = end
    return "\n".join(out)


def markdown(text, block, target):
    """block(words, text): the HTML of a fenced block; target(link): where a link leads."""
    return render(text.split("\n"), target, block)
