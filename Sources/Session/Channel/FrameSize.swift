/// The padded length of a frame's plaintext, so that its size says little about its contents.
enum FrameSize {
    /// The size that a plaintext is padded to.
    ///
    /// Multiples of 64 up to 1 KiB, then multiples of 1 KiB, and the whole frame when the next multiple does not fit.
    /// - Parameter byteCount: Header and body, at most ``ChannelLimits/plaintextByteCountMax``.
    /// - Returns: The padded size.
    static func padded(_ byteCount: Int) -> Int {
        assert((0...ChannelLimits.plaintextByteCountMax).contains(byteCount), "a frame's plaintext is bounded")
        let step = byteCount <= 1_024 ? 64 : 1_024
        let rounded = max(1, (byteCount + step - 1) / step) * step
        return min(rounded, ChannelLimits.plaintextByteCountMax)
    }
}
