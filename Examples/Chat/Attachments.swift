import ArgumentParser
import Foundation
import KairanClient

/// The file of a message, with the state of its content on this machine.
struct Attachment: Codable {
    var name: String
    var size: UInt64
    var mediaType: String?
    /// Whether a thumbnail is here, as it is with the message.
    var thumbnail: Bool
    var state: String
    var percent: Int

    enum CodingKeys: String, CodingKey {
        case name, size, thumbnail, state, percent
        case mediaType = "media_type"
    }

    init(_ description: AssetDescription, _ asset: Asset) {
        name = description.name ?? "a file"
        size = description.size
        mediaType = description.mediaType
        thumbnail = description.thumbnail != nil
        state = asset.state.rawValue
        percent = asset.percent
    }

    /// The text for people.
    var text: String {
        let kind = thumbnail ? ", with a thumbnail" : ""
        return "\(name), \(size) bytes, \(state) \(percent) %\(kind)"
    }

    /// Reads a file with a small picture.
    static func picture(_ path: String) throws -> Data {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ChatError("\(path) cannot be read. Check the path, and that you may read the file.")
        }
        guard data.count <= 16_384 else {
            throw ChatError("\(path) is larger than 16 KiB, the most that a message takes. Make a smaller one.")
        }
        return data
    }
}

extension Chat {
    /// Makes this machine fetch files when they are wanted, unless a person has chosen another policy for the chat.
    func fetchFilesOnDemand() async throws {
        guard try await zone.assetPolicy().isDefault else { return }
        try await zone.setAssetPolicy(.onDemand)
    }

    /// The file of a message; `nil` for a message without one, and for one that was deleted in the meantime.
    func attachment(of message: TypedRecord<Message>) async throws -> Attachment? {
        guard let description = message.value.attachment else { return nil }
        do {
            return Attachment(description, try await zone.asset(Message.attachmentField, of: message.name))
        } catch let error as KairanError
            where ["record.unknown", "record.deleted", "asset.unknown"].contains(error.code)
        {
            return nil
        }
    }
}

struct Get: ChatCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the file of a message to disk; fetches it first where it is not here."
    )
    @OptionGroup var options: Options
    @Argument(help: "The chat's name.") var chat: String
    @Argument(help: "The message.") var message: String
    @Option(name: .shortAndLong, help: "The file to write.") var output: String
    @Flag(help: "Write the thumbnail, which is here before the file.") var thumbnail = false

    func run(_ chats: Chats, _ output: Output) async throws {
        let chat = try await chats.chat(chat)
        let message = try await chat.zone.record(message, as: Message.self)
        guard let attachment = message.value.attachment else {
            throw ChatError("The message has no file. `kairan-chat history` shows those that have one.")
        }
        let file = URL(filePath: self.output)
        if thumbnail {
            guard let picture = attachment.thumbnail else {
                throw ChatError("The file has no thumbnail. Without --thumbnail the file itself is fetched.")
            }
            do {
                try picture.write(to: file, options: .atomic)
            } catch {
                throw ChatError("\(self.output) cannot be written. Name a file in a folder that you may write to.")
            }
        } else {
            try await chat.zone.download(Message.attachmentField, of: message.name, to: file)
        }
        try output.show(["file": self.output], self.output)
    }
}
