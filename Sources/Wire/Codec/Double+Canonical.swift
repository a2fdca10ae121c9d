extension Double {
    /// The bits that are written: the value's own, or those of the one canonical NaN.
    package var canonicalBitPattern: UInt64 {
        isNaN ? Self.canonicalNaNBitPattern : bitPattern
    }

    /// The quiet NaN with an empty payload and no sign, the only not-a-number on the wire.
    package static var canonicalNaNBitPattern: UInt64 { 0x7FF8_0000_0000_0000 }
}
