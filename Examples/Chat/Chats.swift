import Foundation
import KairanClient

/// All chats of this account.
struct Chats {
    static let containerName = "org.kairan.chat"
    /// The private zone of this account.
    static let companionName = "chat-state"

    /// The name of the zones that two people have together.
    static let pairName = "chat"

    let container: Container
    let companion: RecordZone
    let myself: Myself

    /// Opens the chats; creates missing zones.
    static func open(_ kairan: Kairan, nick: String?) async throws -> Chats {
        let container = kairan.container(containerName)
        let companion = try await container.privateDatabase.zone(named: companionName, creating: true)
        let myself = try await myself(in: companion, nick: nick)
        return Chats(container: container, companion: companion, myself: myself)
    }

    private static func myself(in zone: RecordZone, nick: String?) async throws -> Myself {
        var record: TypedRecord<Myself>
        do {
            record = try await zone.record(Myself.name)
        } catch let error as KairanError where error.code == "record.unknown" {
            let user = ProcessInfo.processInfo.environment["USER"] ?? "somebody"
            record = TypedRecord(Myself.name, Myself(author: UUID().uuidString.lowercased(), nick: nick ?? user))
        }
        if let nick { record.value.nick = nick }
        return try await zone.save(record).value
    }

    /// The chats, with the private state of this account.
    func list() async throws -> [Chat] {
        var chats: [Chat] = []
        for zone in try await container.zoneDescriptions() where zone.name != Self.companionName {
            // A chat of two is named after the other account, on both sides.
            let name = zone.pairWith ?? zone.name
            let chat = Chat(name: name, zone: container.zone(id: zone.zone), person: zone.pairWith, chats: self)
            try await chat.fetchFilesOnDemand()
            chats.append(chat)
        }
        return chats
    }

    /// The chat of a name, of a zone's id, or with the account whose id begins so.
    func chat(_ name: String) async throws -> Chat {
        let all = try await list()
        let named = all.filter { $0.name == name || $0.zone.id == name }
        let found = named.isEmpty && name.count >= 8 ? all.filter { $0.person?.hasPrefix(name) ?? false } : named
        guard found.count == 1, let chat = found.first else {
            throw ChatError(found.isEmpty ? "There is no chat \(name)." : "There are several: use the zone's id.")
        }
        return chat
    }

    /// Returns the chat with one person, which both have as soon as both have asked for it; no invitation is needed.
    func chat(with account: String) async throws -> Chat {
        let zone = try await container.pairZone(with: account, named: Self.pairName)
        let person = try await zone.describe().pairWith ?? account
        // Both make this record, perhaps at the same time, so its content is the same for both.
        try await zone.save(TypedRecord(ChatSession.name, ChatSession(title: "", createdAt: nil)))
        let chat = Chat(name: person, zone: zone, person: person, chats: self)
        try await chat.fetchFilesOnDemand()
        return chat
    }

    /// Makes a chat.
    func create(_ name: String) async throws -> Chat {
        let zone = try await container.privateDatabase.createZone(named: name)
        try await zone.save(TypedRecord(ChatSession.name, ChatSession(title: name, createdAt: Date())))
        let chat = Chat(name: name, zone: zone, person: nil, chats: self)
        try await chat.fetchFilesOnDemand()
        return chat
    }
}

/// An error in a request of the person.
struct ChatError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
