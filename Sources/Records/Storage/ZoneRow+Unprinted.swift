import Wire

extension ZoneRow: UnprintedSecret {
    /// Which zone it is, and nothing of its key.
    package var description: String { "zone \(id)" }
}
