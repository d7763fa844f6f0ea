"""The commands of the pages that take longer: every line of docs/analysis.md, the figures of docs/ensembles.md."""
import os
import sys

import cli
import documents

if os.environ.get("KEEL_HDF5") != "1":
    print("skipped: without HDF5")
    sys.exit(cli.SKIPPED)
documents.run("docs/analysis.md", list(documents.lines("docs/analysis.md")))
documents.run("docs/ensembles.md", list(documents.lines("docs/ensembles.md", "draw")))
