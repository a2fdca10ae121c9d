import Identity
import Mailbox
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// Alice's client of mailboxes, Bob's keys, and the effects of Alice's client.
struct MailboxDesk {
    var client: MailboxClient
    var random = SeededGenerator(seed: 1)
    var now: UInt64 = 1_000
    var wall: UInt64 = 20_000 * 86_400_000
    let links: [RelayLink]
    let alice: DeviceID
    let bob: DeviceID
    let account = AccountID(digesting: .treeNode, [3])
    let theirs: PartnerSecret
    let own: PartnerSecret

    init(relays: Int = 1) throws {
        let first = AgreementKey.generate(using: &random)
        let second = AgreementKey.generate(using: &random)
        own = try PartnerSecret(own: first, other: second.publicKey)
        theirs = try PartnerSecret(own: second, other: first.publicKey)
        alice = DeviceID(digesting: .treeNode, [1])
        bob = DeviceID(digesting: .treeNode, [2])
        links = try (0..<relays).map { number in
            try RelayLink(
                relay: Identifier(digesting: .treeNode, [UInt8(10 + number)]),
                channelSecret: [UInt8](repeating: 1, count: 32),
                admissionSecret: [UInt8](repeating: UInt8(number), count: 32),
                addresses: ["relay:1", "relay:2"]
            )
        }
        client = MailboxClient(localDevice: alice)
    }

    var relay: RelayID { links[0].relay }

    /// Returns the use of relays by accounts.
    func facts(_ relays: [MailRelay]? = nil) -> MailFacts {
        MailFacts(relays: relays ?? links.map { MailRelay(links: [$0], isOwn: true, accounts: [account]) })
    }

    mutating func learn(partner: Bool = true) -> [MailboxClient.Effect] {
        feed(.factsChanged(facts(), partners: partner ? [bob: MailPartner(account: account, secret: own)] : [:]))
    }

    mutating func feed(_ input: MailboxClient.Input) -> [MailboxClient.Effect] {
        var effects: [MailboxClient.Effect] = []
        client.handle(input, at: now, wall: wall, random: &random, into: &effects)
        return effects
    }

    /// Lets the client enter: the first relay has admitted it, and has nothing for it.
    mutating func enter() {
        _ = learn()
        _ = feed(.opened(relay))
        _ = feed(.received(relay, .entered(quota: 9, used: 1, backend: "memory")))
        _ = feed(.received(relay, .listed([], isComplete: true)))
        _ = feed(.postedRead(relay, []))
    }

    /// Returns the mailbox in which Bob leaves parcels for Alice on a day.
    func incoming(day: UInt64 = 20_000) -> MailboxKeys {
        theirs.keys(relay: relay, sender: bob, recipient: alice, day: day)
    }

    mutating func parcel(_ messages: [[UInt8]]) throws -> SealedParcel {
        try #require(Parcel(messages: messages).sealed(incoming(), using: &random))
    }
}
