"""The measurements of `scripts/bench-assets`, and the parts that they share."""
