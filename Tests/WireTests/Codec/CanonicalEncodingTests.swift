import TestSupport
import Testing
import Wire

/// The laws that hold for every wire type.
@Suite struct CanonicalEncodingTests {
    @Test(arguments: WireSubject.all)
    func `decoding an encoding gives the value back`(_ subject: WireSubject) throws {
        var generator = SeededGenerator(seed: subject.seed)
        for index in 0..<500 {
            let result = try subject.roundTrip(&generator)
            #expect(result.isEqual, "seed \(subject.seed), sample \(index)")
            #expect(subject.reencode(result.bytes) == result.bytes, "seed \(subject.seed), sample \(index)")
        }
    }

    @Test(arguments: WireSubject.all)
    func `no encoding is the beginning of another`(_ subject: WireSubject) throws {
        var generator = SeededGenerator(seed: subject.seed)
        for index in 0..<10 {
            let bytes = try subject.roundTrip(&generator).bytes
            for count in 0..<bytes.count {
                #expect(
                    subject.reencode([UInt8](bytes.prefix(count))) == nil,
                    "seed \(subject.seed), sample \(index), first \(count) bytes"
                )
            }
            #expect(subject.reencode(bytes + [0]) == nil, "seed \(subject.seed), sample \(index), one byte more")
        }
    }

    @Test(arguments: WireSubject.all)
    func `damaged bytes are refused or are another value's only encoding`(_ subject: WireSubject) throws {
        var generator = SeededGenerator(seed: subject.seed &+ 1)
        var originals: [[UInt8]] = []
        for _ in 0..<100 {
            originals.append(try subject.roundTrip(&generator).bytes)
        }
        for iteration in 0..<20_000 {
            var bytes = originals[iteration % originals.count]
            Mutation.apply(to: &bytes, &generator)
            // Comparing before expecting keeps the macro's cost out of the loop.
            if let again = subject.reencode(bytes), again != bytes {
                Issue.record("seed \(subject.seed), iteration \(iteration): \(Hexadecimal.encode(bytes))")
                return
            }
        }
    }

    @Test(arguments: WireSubject.all)
    func `random bytes are refused or are a value's only encoding`(_ subject: WireSubject) {
        var generator = SeededGenerator(seed: subject.seed &+ 2)
        for iteration in 0..<20_000 {
            var bytes = generator.blob(maximum: 96)
            if let first = bytes.first {
                // A small first byte passes for a format or a tag and lets the rest be looked at.
                bytes[0] = first % 24
            }
            if let again = subject.reencode(bytes), again != bytes {
                Issue.record("seed \(subject.seed), iteration \(iteration): \(Hexadecimal.encode(bytes))")
                return
            }
        }
    }
}
