"""Demo subjects: one documented, editable data file each, and seeding."""
