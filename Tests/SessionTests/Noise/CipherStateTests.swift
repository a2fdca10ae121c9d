import Session
import Sodium
import Testing

@Suite struct CipherStateTests {
    private func state(nonce: UInt64 = 0) throws -> CipherState {
        CipherState(key: try SymmetricKey(bytes: [UInt8](repeating: 7, count: 32)), nonce: nonce)
    }

    private func open(_ sealed: [UInt8], with state: inout CipherState) throws(NoiseError) -> [UInt8] {
        var output: [UInt8] = []
        let failure: NoiseError? = sealed.withUnsafeBytes { buffer in
            do throws(NoiseError) {
                try state.open(buffer, appendingTo: &output)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        return output
    }

    private func seal(_ text: [UInt8], with state: inout CipherState) throws(NoiseError) -> [UInt8] {
        var bytes = text
        try state.seal(&bytes, from: 0)
        return bytes
    }

    @Test func `a message that does not open leaves the nonce where it was`() throws {
        var sender = try state()
        var receiver = try state()
        let sealed = try seal([1, 2, 3], with: &sender)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 0x40
            #expect(throws: NoiseError.notAuthentic) { _ = try open(altered, with: &receiver) }
            let nonce = receiver.nonce
            #expect(nonce == 0)
        }
        #expect(try open(sealed, with: &receiver) == [1, 2, 3])
        let nonce = receiver.nonce
        #expect(nonce == 1)
    }

    @Test func `the last nonce is never used and using up the others is an error`() throws {
        var sender = try state(nonce: .max - 1)
        var receiver = try state(nonce: .max - 1)
        let last = try seal([9], with: &sender)
        #expect(try open(last, with: &receiver) == [9])
        let nonces = (sender.nonce, receiver.nonce)
        #expect(nonces == (.max, .max))
        var bytes: [UInt8] = [1, 2]
        #expect(throws: NoiseError.nonceExhausted) { try sender.seal(&bytes, from: 0) }
        #expect(bytes == [1, 2], "what could not be sealed must be left alone")
        #expect(throws: NoiseError.nonceExhausted) { _ = try open(last, with: &receiver) }
    }

    @Test func `a replayed message does not open`() throws {
        var sender = try state()
        var receiver = try state()
        let first = try seal([1], with: &sender)
        _ = try open(first, with: &receiver)
        #expect(throws: NoiseError.notAuthentic) { _ = try open(first, with: &receiver) }
    }

    @Test func `messages out of order do not open`() throws {
        var sender = try state()
        var receiver = try state()
        _ = try seal([1], with: &sender)
        let second = try seal([2], with: &sender)
        #expect(throws: NoiseError.notAuthentic) { _ = try open(second, with: &receiver) }
    }

    @Test func `both sides agree after a rekey and the old key opens nothing any more`() throws {
        var sender = try state()
        var receiver = try state()
        var left = try state()
        sender.rekey()
        let sealed = try seal([5], with: &sender)
        #expect(throws: NoiseError.notAuthentic) { _ = try open(sealed, with: &left) }
        receiver.rekey()
        #expect(try open(sealed, with: &receiver) == [5])
    }

    @Test func `without a key bytes pass in the clear and no nonce is counted`() throws {
        var state = CipherState()
        #expect(try seal([1, 2], with: &state) == [1, 2])
        let nonce = state.nonce
        #expect(nonce == 0)
    }
}
