"""The files of a vault: notes, facts, logs and skills, how they are read and patched."""
