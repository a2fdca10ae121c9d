import ArgumentParser

/// Finds the one thing of several with the name that was typed, or with an id that begins with it.
struct ChosenID {
    /// The kind of thing, as "invitation".
    var noun: String
    /// The command that lists all.
    var list: String

    /// Whether names that look the same are one: others choose them.
    var takesLooks = false
    /// The least number of characters of the beginning of an id.
    var characterCountMin = 1

    /// Devices of the account.
    static let device = ChosenID(noun: "device", list: "kairan device ls")

    /// Chooses the thing that a text stands for.
    ///
    /// A whole id takes precedence over names, because an owner may choose any name, even one that is the id of
    /// another thing. A name and the beginning of an id have equal rank: if they stand for different things, the text
    /// is ambiguous.
    /// - Parameters:
    ///   - text: The text as typed; the beginning of an id stands for the only id with that beginning.
    ///   - things: All things to choose from.
    ///   - id: Returns the id of a thing.
    ///   - name: Returns the name of a thing; `nil` if it has none.
    /// - Returns: The thing.
    /// - Throws: ``InputError`` when there is no such thing, or more than one: the command line is valid, as with any
    ///   other name of a thing that does not exist. `ValidationError` for an empty text.
    func choose<Thing>(
        _ text: String,
        among things: [Thing],
        id: (Thing) -> String,
        name: (Thing) -> String? = { _ in nil }
    ) throws -> Thing {
        guard !text.isEmpty else { throw ValidationError("An id of the \(noun) is needed; `\(list)` lists them.") }
        if let thing = things.first(where: { id($0) == text }) { return thing }
        let fitting = things.filter { thing in
            isBeginning(text, of: id(thing)) || name(thing).map { isSame($0, text) } ?? false
        }
        if let thing = fitting.first, fitting.count == 1 { return thing }
        let shown = Table.visible(text)
        guard !fitting.isEmpty else {
            guard text.utf8.count >= characterCountMin else {
                throw InputError(
                    detail: "\(shown) is too short for the beginning of the id of a \(noun).",
                    fix: "Give at least \(characterCountMin) characters; `\(list)` lists them.",
                    code: "id.too_short"
                )
            }
            throw InputError(
                detail: "No \(noun) has the name \(shown) or an id that begins with it.",
                fix: "`\(list)` lists them.",
                code: "id.unknown"
            )
        }
        let matches = fitting.prefix(Self.shownCountMax).map { thing in
            let beginning = Words.short(id(thing), of: things.map(id))
            return name(thing).map { "\(Table.visible($0)) (\(beginning))" } ?? beginning
        }
        let more = fitting.count > matches.count ? ", …" : ""
        throw InputError(
            detail: "\(shown) fits \(fitting.count) \(noun)s: \(matches.joined(separator: ", "))\(more).",
            fix: "Give more of the id; `\(list)` lists them.",
            code: "id.ambiguous"
        )
    }

    private func isBeginning(_ text: String, of id: String) -> Bool {
        text.utf8.count >= characterCountMin && id.hasPrefix(text)
    }

    private func isSame(_ name: String, _ text: String) -> Bool {
        takesLooks ? Labels.look(name) == Labels.look(text) : name == text
    }

    /// Whether a text has the length of a whole id.
    static func isWhole(_ text: String) -> Bool { text.utf8.count == 52 }

    /// The number of matching things that an error lists.
    private static let shownCountMax = 8
}
