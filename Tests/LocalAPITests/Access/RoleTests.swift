import Node
import Testing

@testable import LocalAPI

@Suite struct `A role` {
    private static let notes = ApplicationBinding(
        name: "notes",
        subject: .user(1001),
        containers: ["org.example.notes", "org.example.Kelvin"],
        storageByteCountMax: 10
    )

    private static func refusal(_ role: Role, _ needed: RequiredAccess, _ container: String? = nil) -> AccessRefusal? {
        if case .failure(let refusal) = role.decide(needed, container: container) { refusal } else { nil }
    }

    @Test(arguments: RequiredAccess.allCases)
    func `admin may do everything, a stranger nothing but ask for the bare status where that is allowed`(
        needed: RequiredAccess
    ) throws {
        #expect(try Role.admin.decide(needed, container: "a.b").get() == .everything)
        #expect(Self.refusal(.other(seesStatus: false), needed) == .callerUnknown)
        let seeing = Role.other(seesStatus: true)
        #expect(Self.refusal(seeing, needed) == (needed == .anyone ? nil : .callerUnknown))
        #expect(try Role.other(seesStatus: true).decide(.anyone).get() == .bare)
    }

    @Test func `application reads and writes in its containers, and knows nothing of the node`() throws {
        let role = Role.application(Self.notes)
        let scope = ZoneScope(containers: Self.notes.containers, byteCountMax: 10)
        for needed in [RequiredAccess.read, .write] {
            #expect(try role.decide(needed).get() == AccessGrant(scope: scope, isBare: true))
            #expect(try role.decide(needed, container: "org.example.notes").get().scope == scope)
            for foreign in ["org.example.mail", "org.example", "org.example.notes.x", "ORG.EXAMPLE.NOTES", ""] {
                #expect(Self.refusal(role, needed, foreign) == .containerForeign(application: "notes"), "\(foreign)")
            }
        }
        #expect(Self.refusal(role, .admin) == .adminOnly)
        for needed in [RequiredAccess.application, .anyone] { #expect(try role.decide(needed).get() == .bare) }
        #expect(!AccessGrant.bare.scope.contains(container: "org.example.notes"))
    }

    @Test func `application that may only read may not write`() throws {
        var reader = Self.notes
        reader.isReadOnly = true
        #expect(Self.refusal(.application(reader), .write, "org.example.notes") == .readOnly(application: "notes"))
        #expect(try Role.application(reader).decide(.read).get().scope.contains(container: "org.example.notes"))
    }

    @Test func `container that only looks like the application's is another one`() {
        // The Kelvin sign is, for Unicode, the same text as the letter K.
        let lookalike = "org.example.\u{212A}elvin"
        #expect(lookalike == "org.example.Kelvin")
        let refusal = Self.refusal(.application(Self.notes), .write, lookalike)
        #expect(refusal == .containerForeign(application: "notes"))
    }
}
