"""The index that is derived from the files: text engines, the catalog, vectors, sync and watch."""
