"""Compares reports with the table of docs/reports.txt: unknown and missing members, kinds, and lines that never occur."""
import re
from dataclasses import dataclass, field


@dataclass
class Node:
    """A place in a report: the member of the table that describes it, and what is below it."""
    member: object = None
    below: dict = field(default_factory=dict)


@dataclass
class Result:
    faults: set = field(default_factory=set)
    seen: set = field(default_factory=set)  # (line, alternative) that occurred
    null: set = field(default_factory=set)  # lines whose member was null
    absent: set = field(default_factory=set)  # lines whose member was absent


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_vector(value):
    return isinstance(value, list) and all(v is None or is_number(v) for v in value)


FITS = {
    "number": is_number,
    "text": lambda v: isinstance(v, str),
    "flag": lambda v: isinstance(v, bool),
    "array": is_vector,
    "matrix": lambda v: isinstance(v, list) and all(is_vector(row) for row in v),
    "list": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
    "any": lambda v: True,
}


class Comparison:
    def __init__(self, table, sections):
        self.table, self.sections, self.trees = table, sections, {}
        self.result = Result()

    def tree(self, name):
        if name not in self.trees:
            root = Node()
            for member in self.table.members_of(self.sections, name):
                node = root
                for step in re.findall(r"\[\]|[^.\[\]]+", member.path):
                    node = node.below.setdefault(step, Node())
                node.member = member
            self.trees[name] = root
        return self.trees[name]

    def fits(self, value, kind):
        if kind.startswith("list of "):
            return isinstance(value, list) and all(self.fits(v, kind[len("list of "):]) for v in value)
        if kind.startswith("{"):
            name = self.part(kind, value)
            return name is not None and self.fits(value, self.sections[name].top)
        return FITS[kind](value)

    def part(self, kind, value):
        """The section that {...} stands for; that of a study goes by its kind."""
        if kind == "{study}":
            name = f"study {value.get('kind')}" if isinstance(value, dict) else ""
            return name if name in self.sections else None
        return self.table.section_of(self.sections, kind[1:-1])

    def descend(self, value, kind, node, where):
        """What is inside a value that fits."""
        if kind.startswith("list of "):
            for item in value:
                self.descend(item, kind[len("list of "):], node, where + "[]")
        elif kind.startswith("{"):
            self.compare(self.part(kind, value), value, where)
        elif kind == "list":
            for item in value:
                self.members(item, node.below.get("[]", Node()), where + "[]")
        elif kind == "object":
            self.members(value, node, where)

    def members(self, value, node, where):
        if not isinstance(value, dict):
            self.result.faults.add(f"{where}: its elements are objects in the table, and not here")
            return
        for name, item in value.items():
            child = node.below.get(name) or node.below.get("*")
            path = f"{where}.{name}"
            if child is None:
                self.result.faults.add(f"{path}: not in the table")
            else:
                self.value(item, child, path)
        for name, child in node.below.items():
            if name != "*" and name not in value:
                self.result.absent.add(child.member.line)
                if not child.member.absent:
                    self.result.faults.add(f"{where}.{name}: always present by the table, and absent here")

    def value(self, value, node, where):
        member = node.member
        if member is None:
            self.result.faults.add(f"{where}: the table has members below it, and no line for it")
            return
        if value is None and (member.null or member.kinds == ("any",)):
            self.result.null.add(member.line)
            return
        kind = next((k for k in member.kinds if self.fits(value, k)), None)
        if kind is None:
            self.result.faults.add(f"{where}: {' or '.join(member.kinds)} by the table, not {str(value)[:60]!r}")
            return
        self.result.seen.add((member.line, kind))
        self.descend(value, kind, node, where)

    def compare(self, name, value, where=None):
        """One report with the section of that name."""
        where = where or name
        section, node = self.sections[name], self.tree(name)
        if not self.fits(value, section.top):
            self.result.faults.add(f"{where}: {section.top} by the table, not {str(value)[:60]!r}")
        elif section.top == "list":
            for item in value:
                self.members(item, node.below["[]"], where + "[]")
        elif section.top == "object":
            self.members(value, node, where)
        else:
            self.descend(value, section.top, node, where)


def unseen_lines(sections, result):
    """Lines of the table that no report had, in a kind or as null, and lines that are said not to occur and do."""
    faults = set()
    for section in sections.values():
        for member in section.entries:
            if isinstance(member, tuple):
                continue
            where = f"docs/reports.txt:{member.line}: {section.name}: {member.path}"
            kinds = [k for k in member.kinds if (member.line, k) in result.seen]
            if member.unseen:
                if kinds:
                    faults.add(f"{where}: occurs, although the table says that it cannot")
                continue
            faults |= {f"{where}: no report has it as {k}" for k in member.kinds if k not in kinds}
            if member.null and member.line not in result.null:
                faults.add(f"{where}: never null in a report, and '?' in the table")
            if member.absent and member.line not in result.absent:
                faults.add(f"{where}: never absent in a report, and '~' in the table")
    return faults


def compare_all(table, text, reports):
    """All faults of the table of that text, given (section, report) pairs."""
    sections = table.read_table(text)
    comparison = Comparison(table, sections)
    for name, report in reports:
        if name in sections:
            comparison.compare(name, report)
        else:
            comparison.result.faults.add(f"{name}: no such section in the table")
    return sorted(comparison.result.faults | unseen_lines(sections, comparison.result))
