import TestSupport
import Testing
import Wire

/// The effect of one wrong byte, tried at every place of encodings of every wire type.
@Suite struct SingleByteTests {
    /// The bytes that stand for the 255 other values: the neighbours, each bit, and those that mean something to
    /// flags and varints.
    private static func others(than byte: UInt8) -> Set<UInt8> {
        var others: Set<UInt8> = [0, 1, 2, 0x7F, 0x80, 0xFF, byte &+ 1, byte &- 1]
        for bit in 0..<8 { others.insert(byte ^ (1 << UInt8(bit))) }
        others.remove(byte)
        return others
    }

    @Test(arguments: WireSubject.all)
    func `one changed byte is refused or is another value's only encoding`(_ subject: WireSubject) throws {
        var generator = SeededGenerator(seed: subject.seed &+ 3)
        var tried = 0
        while tried < 6_000 {
            var bytes = try subject.roundTrip(&generator).bytes
            for place in bytes.indices {
                let original = bytes[place]
                for other in Self.others(than: original) {
                    bytes[place] = other
                    tried += 1
                    if let again = subject.reencode(bytes), again != bytes {
                        Issue.record("seed \(subject.seed), byte \(place) = \(other): \(Hexadecimal.encode(bytes))")
                        return
                    }
                }
                bytes[place] = original
            }
        }
    }

    @Test(arguments: WireSubject.all)
    func `one byte left out or put in is refused or gives another value's only encoding`(
        _ subject: WireSubject
    ) throws {
        var generator = SeededGenerator(seed: subject.seed &+ 4)
        for _ in 0..<3 {
            let bytes = try subject.roundTrip(&generator).bytes
            for place in 0...bytes.count {
                var changed = bytes
                if place < bytes.count {
                    changed.remove(at: place)
                    check(subject, changed)
                }
                for inserted in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    changed = bytes
                    changed.insert(inserted, at: place)
                    check(subject, changed)
                }
            }
        }
    }

    @Test(arguments: WireSubject.all)
    func `no byte whatsoever follows an encoding`(_ subject: WireSubject) throws {
        var generator = SeededGenerator(seed: subject.seed &+ 5)
        for _ in 0..<2 {
            let bytes = try subject.roundTrip(&generator).bytes
            let taken = (0...255 as ClosedRange<UInt8>).filter { subject.reencode(bytes + [$0]) != nil }
            #expect(taken.isEmpty, "seed \(subject.seed)")
        }
    }

    private func check(_ subject: WireSubject, _ bytes: [UInt8]) {
        guard let again = subject.reencode(bytes), again != bytes else { return }
        Issue.record("seed \(subject.seed): \(Hexadecimal.encode(bytes))")
    }
}
