"""Elements, styles and colours of pictures, as SVG and HTML: for every room, so it imports none."""
