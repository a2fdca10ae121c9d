import Mailbox
import ParcelStorageBehaviour
import Testing
import Wire

@Suite("Parcels in memory")
struct MemoryParcelStorageTests {
    @Test(arguments: ParcelStorageBehaviour.allCases)
    func `keep the promise that`(behaviour: ParcelStorageBehaviour) async throws {
        // Opening again returns the same storage: an actor forgets nothing.
        try await behaviour.check(in: MemoryParcelStorage()) { $0 }
    }

    @Test func `are not kept for more admissions than a relay has`() throws {
        var parcels = MemoryParcels()
        for number in 0..<UInt64(Admission.countMax) {
            let digest = Digest32(word0: number, word1: 0, word2: 0, word3: 0)
            try parcels.admit(Admission(id: AdmissionID(digest), name: "", quota: 0, since: number))
        }
        let one = Admission(id: .zero, name: "", quota: 0, since: 0)
        #expect(throws: ParcelStorageError.tooMany) { try parcels.admit(one) }
        #expect(parcels.admissions().count == Admission.countMax)
    }

    @Test func `describe themselves`() {
        #expect(MemoryParcelStorage().backend == "memory")
    }
}
