import Testing

@Suite("The harness itself")
struct HarnessTests {
    @Test func `finds out within 200 trials that a disk skips the sync`() async throws {
        var seed: UInt64 = 0
        var damageCount = 0
        var loss: Finding?
        while loss == nil, seed < 200 {
            seed += 1
            var trial = try Trial(seed: seed, plant: .ignoredSync)
            do {
                try await trial.run()
            } catch let finding as Finding where finding.description.hasPrefix("not what was acknowledged") {
                loss = finding
            } catch {
                // Such a disk can also come back so damaged that the store reports it.
                damageCount += 1
            }
        }
        #expect(loss != nil)
        print("a skipped sync: the first loss in trial \(seed), \(damageCount) trials before it end with damage")
    }
}
