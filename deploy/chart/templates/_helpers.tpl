{{- define "coxswain.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "coxswain.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coxswain.labels" -}}
{{ include "coxswain.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Every name that clients in the cluster may have for the Service. */}}
{{- define "coxswain.sans" -}}
{{- $name := include "coxswain.fullname" . -}}
{{- $namespaced := printf "%s.%s" $name .Release.Namespace -}}
{{- concat (list $name $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced)) .Values.extraSans | join "," -}}
{{- end -}}
