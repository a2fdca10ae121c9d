import Records
import Sync
import Testing
import Wire

@Suite struct `A part of a payload that was not kept` {
    private struct OtherError: Error {}

    @Test func `waits for room where the disk is full, and for the store after any other error`() {
        let full = StorageError(code: .diskFull, message: "as the test wants it")
        #expect(PayloadOutcome(.failure(full)) == .storageFull)
        for code in [StorageError.Code.inputOutput, .corrupt, .closed, .locked] {
            let error = StorageError(code: code, message: "as the test wants it")
            #expect(PayloadOutcome(.failure(error)) == .storageFailed)
        }
        #expect(PayloadOutcome(.failure(OtherError())) == .storageFailed)
        #expect(PayloadOutcome(.success(.mismatch)) == .mismatch)
    }
}
