const { defaultPayloadConverter } = require('@temporalio/common');

exports.payloadConverter = {
  toPayload(value) {
    const { metadata, ...payload } = defaultPayloadConverter.toPayload(value);
    return { ...payload, metadata: { ...metadata, by: new Uint8Array([1]) } };
  },
  fromPayload: (payload) => defaultPayloadConverter.fromPayload(payload),
};
