extension Simulation {
    /// Copies a machine's disk to a new machine, which is switched off.
    /// - Parameters:
    ///   - original: The machine.
    ///   - parts: `.disk` for a copy that nothing distinguishes from the original, `.files` for one on other
    ///     hardware.
    /// - Returns: The new machine.
    /// - Throws: ``Violation``.
    func copy(_ original: SimulatedNode, parts: DiskImage.Parts) throws -> SimulatedNode {
        let image = original.disk.image()
        let copy = try insert(
            device: image.keys.device,
            log: AccountFile.decode(image.files[.accountLog] ?? []),
            keyring: image.keys.keyring
        )
        copy.hasStarted = original.hasStarted
        try copy.restore(image, parts: parts)
        return copy
    }
}
