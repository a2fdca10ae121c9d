import Capabilities
import Identity
import Records
import Sodium
import Testing
import Wire

@testable import Simulator

@Suite struct ControlBoundTests {
    @Test func `the judge and the core read control logs of each right up to the same bound`() throws {
        var random = SeededGenerator(seed: 8)
        let owner = try FoundedAccount(deviceCount: 1, hasPartialLogs: false, random: &random)
        let keys = owner.members[0].device.keys
        let genesis = ZoneGenesis(
            owner: owner.id,
            container: "org.example.notes",
            name: "shared",
            salt: [UInt8](repeating: 1, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        let zone = ZoneID(genesis)
        let author = ActorID(device: keys.deviceID, incarnation: Incarnation(using: &random), right: .zero)
        let granted = try AccessLevel.allCases.map { level in
            try Capability.issue(
                Capability.Terms(audience: owner.id, rights: Rights(level)),
                resource: .zone(zone),
                owner: owner.id,
                signer: keys.deviceID,
                using: &random,
                sign: keys.sign
            )
        }
        let statements = try granted.enumerated().map { index, capability in
            RightsModel.Statement(
                place: Dot(actor: author, counter: UInt64(index) + 1),
                device: keys.deviceID,
                right: .zero,
                seen: VersionVector(),
                hash: Hash(Digest32(word0: UInt64(index), word1: 1, word2: 2, word3: 3)),
                body: .grant(Grant(capability)),
                carried: [capability.id: try VerifiedCapability(UnverifiedCapability(capability)).capability]
            )
        }
        let model = RightsModel(
            zone: zone,
            owners: [owner.id],
            statements: statements,
            accounts: [owner.id: owner.members[0].log.state],
            ownDevice: nil
        )
        let bound = ControlBound()
        #expect(bound.size(under: .zero, by: model) == ControlBudget(of: .owner, within: .ofProtocol).operationCount)
        for capability in granted {
            let token = try VerifiedCapability(UnverifiedCapability(capability)).capability
            let budget = ControlBudget(of: .participant(WriteScope(token)), within: .ofProtocol)
            #expect(bound.size(under: capability.id, by: model) == budget.operationCount, "\(token.rights.level)")
            #expect(
                bound.size(under: capability.id, by: nil)
                    == ControlBudget(of: .unknown, within: .ofProtocol).operationCount
            )
        }
    }
}
