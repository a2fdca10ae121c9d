private import _FoundationICU

/// The look of names, so that two that a person cannot tell apart are recognised (Unicode UTS #39, section 4).
///
/// ICU has the table of confusable characters. It is the one in the toolchain's Foundation, which the programs are linked with already, and
/// the part of its data that they carry includes the table (decision 98).
enum LookAlikes {
    /// The detector of ICU; nil where its data are missing.
    // SAFETY: It is made once and never changed, and ICU's own documentation lets any number of threads ask such a detector.
    private nonisolated(unsafe) static let checker: OpaquePointer? = {
        var status = U_ZERO_ERROR
        // ICU's functions are renamed in the toolchain, and the names of C's preprocessor do not reach Swift.
        let checker = swift_uspoof_open(&status)
        return status.rawValue <= U_ZERO_ERROR.rawValue ? checker : nil
    }()

    /// The skeleton of a text: two texts with one skeleton look the same in many fonts, in any scripts.
    /// - Returns: The text itself where ICU has no answer.
    /// - Complexity: O(length of the text).
    static func skeleton(_ text: String) -> String {
        guard let checker else { return text }
        let units = Array(text.utf16)
        // Room for most; the second call has as much as the first one asks for.
        var count = 2 * units.count + 16
        for _ in 0..<2 {
            var status = U_ZERO_ERROR
            var needed = 0
            let skeleton = [UInt16](unsafeUninitializedCapacity: count) { buffer, initialized in
                needed = Int(
                    swift_uspoof_getSkeleton(
                        checker,
                        0,
                        units,
                        Int32(clamping: units.count),
                        buffer.baseAddress,
                        Int32(clamping: count),
                        &status
                    )
                )
                initialized = status.rawValue <= U_ZERO_ERROR.rawValue ? min(needed, count) : 0
            }
            if status.rawValue <= U_ZERO_ERROR.rawValue { return String(decoding: skeleton, as: UTF16.self) }
            guard status == U_BUFFER_OVERFLOW_ERROR else { return text }
            count = needed
        }
        return text
    }

    /// The looks of a name: two names with one of them in common cannot be told apart at a glance.
    ///
    /// A small letter may look as one that its capital letter does not look as, and the other way round.
    static func looks(_ name: String) -> Set<String> {
        let folded = Labels.look(name)
        return [skeleton(folded), skeleton(Labels.spaced(name))]
    }
}
