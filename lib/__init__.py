"""Everything behind the pages: words, runtimes, models, use cases, pictures, edge."""
