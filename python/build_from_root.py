"""The build backend of the repository's root: the package lives in python/."""

import os

from setuptools import build_meta

HERE = os.path.dirname(os.path.abspath(__file__))


def _here(hook, folder, *args):
    """A hook of setuptools, whose files go to `folder`, in python/."""
    folder, before = os.path.abspath(folder), os.getcwd()
    os.chdir(HERE)
    try:
        return hook(folder, *args)
    finally:
        os.chdir(before)


def build_wheel(folder, settings=None, metadata=None):
    return _here(build_meta.build_wheel, folder, settings, metadata and os.path.abspath(metadata))


def build_sdist(folder, settings=None):
    return _here(build_meta.build_sdist, folder, settings)


def prepare_metadata_for_build_wheel(folder, settings=None):
    return _here(build_meta.prepare_metadata_for_build_wheel, folder, settings)


def get_requires_for_build_wheel(settings=None):
    return []
