internal import CAvahi

/// Avahi's callbacks: they turn C values into an occurrence and note it, and do nothing else.
///
/// Everything the network or the daemon claims passes through here, so names must be valid UTF-8 of a DNS label's
/// length, indices must be ones, and pointers may be nil.
extension AvahiConnection {
    /// The longest instance name: one DNS label (RFC 6763 section 4.1.1).
    private static let nameByteCountMax = 63

    static let browserCallback: AvahiServiceBrowserCallback = {
        browser,
        interface,
        family,
        event,
        name,
        _,
        _,
        _,
        context in
        guard let connection = unsafe AvahiConnection.from(context) else { return }
        switch event {
        case AVAHI_BROWSER_NEW:
            if let key = unsafe AvahiConnection.key(name, interface, family) { connection.note(.appeared(key)) }
        case AVAHI_BROWSER_REMOVE:
            if let key = unsafe AvahiConnection.key(name, interface, family) { connection.note(.vanished(key)) }
        case AVAHI_BROWSER_FAILURE:
            guard let index = UInt32(exactly: interface) else { return }
            connection.note(.browsingFailed(interface: index, connection.lastError()))
        default:
            // "All for now" and "cache exhausted" report the daemon's internal state, which nothing here depends on.
            return
        }
    }

    static let resolverCallback: AvahiServiceResolverCallback = {
        resolver,
        interface,
        family,
        event,
        name,
        _,
        _,
        _,
        address,
        port,
        strings,
        _,
        context in
        guard let connection = unsafe AvahiConnection.from(context),
            let key = unsafe AvahiConnection.key(name, interface, family)
        else { return }
        guard event == AVAHI_RESOLVER_FOUND, let address = unsafe AvahiConnection.address(address) else {
            connection.note(.unresolved(key, connection.lastError()))
            return
        }
        let texts = unsafe AvahiConnection.texts(strings)
        connection.note(.resolved(key, address, port: port, strings: texts))
    }

    static let groupCallback: AvahiEntryGroupCallback = { group, state, context in
        // The first call comes from within the making of the group, when it is in no table yet; it says nothing.
        guard let connection = unsafe AvahiConnection.from(context),
            let interface = unsafe connection.interface(ofGroup: group)
        else { return }
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            connection.note(.published(interface: interface))
        case AVAHI_ENTRY_GROUP_COLLISION:
            connection.note(.collided(interface: interface))
        case AVAHI_ENTRY_GROUP_FAILURE:
            connection.note(.publishingFailed(interface: interface, connection.lastError()))
        default:
            return
        }
    }

    /// Notes a state of the client; its first call comes before the client's maker has returned.
    func noteClient(_ client: OpaquePointer?, _ state: AvahiClientState) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            note(.running)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
            note(.registering)
        case AVAHI_CLIENT_CONNECTING:
            note(.waiting)
        case AVAHI_CLIENT_FAILURE:
            // SAFETY: Avahi passes the client that it is calling for.
            let code = unsafe client.map { unsafe avahi_client_errno($0) }
            note(.failed(code.map(AvahiError.init) ?? .failure))
        default:
            return
        }
    }

    /// The connection behind a callback's context.
    static func from(_ context: UnsafeMutableRawPointer?) -> AvahiConnection? {
        // SAFETY: the context is the unretained connection that made the object, which outlives the object.
        unsafe context.map { unsafe Unmanaged<AvahiConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func key(_ name: UnsafePointer<CChar>?, _ interface: Int32, _ family: Int32) -> CandidateKey? {
        // SAFETY: Avahi passes a C string or nil.
        guard let name = unsafe name, let text = unsafe String(validatingCString: name),
            (1...nameByteCountMax).contains(text.utf8.count), let index = UInt32(exactly: interface)
        else { return nil }
        switch Int(family) {
        case Int(AVAHI_PROTO_INET): return CandidateKey(instanceName: text, interface: index, family: .ipv4)
        case Int(AVAHI_PROTO_INET6): return CandidateKey(instanceName: text, interface: index, family: .ipv6)
        default: return nil
        }
    }

    private static func address(_ pointer: UnsafePointer<AvahiAddress>?) -> ResolvedAddress? {
        guard let pointer = unsafe pointer else { return nil }
        let count: Int
        switch unsafe Int(pointer.pointee.proto) {
        case Int(AVAHI_PROTO_INET): count = 4
        case Int(AVAHI_PROTO_INET6): count = 16
        default: return nil
        }
        // SAFETY: the union has room for 16 bytes; the text buffer has the size that Avahi names for it.
        let bytes = unsafe withUnsafeBytes(of: pointer.pointee.data) { unsafe Array($0.prefix(count)) }
        var text = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
        guard unsafe avahi_address_snprint(&text, text.count, pointer) != nil else { return nil }
        let characters = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return ResolvedAddress(bytes: bytes, text: String(decoding: characters, as: UTF8.self))
    }

    /// The strings of a TXT record in the record's order, no more of them than any reader needs.
    private static func texts(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var next = unsafe list
        while let entry = unsafe next, texts.count < 4 * AttributeText.countMax {
            // SAFETY: the list is Avahi's for the length of the callback; a text has as many bytes as its size says.
            let size = unsafe avahi_string_list_get_size(entry)
            if let text = unsafe avahi_string_list_get_text(entry) {
                unsafe texts.append(Array(UnsafeBufferPointer(start: text, count: size)))
            }
            unsafe next = avahi_string_list_get_next(entry)
        }
        return texts
    }
}
