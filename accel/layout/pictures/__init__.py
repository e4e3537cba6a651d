"""Pictures of layouts: text for terminals, SVG and HTML."""
